import { mount } from 'svelte';
import '../../look/base.css';
import '../../look/staff.css';
import { settings } from '../../parts/settings.svelte';
import { firstLanguage, locale } from '../../words/locale.svelte';
import '../../words/staffLocale.svelte';
import App from './App.svelte';

document.documentElement.dataset['screen'] = 'audit';
settings.apply();
await locale.load(firstLanguage());
mount(App, { target: document.getElementById('screen')! });
