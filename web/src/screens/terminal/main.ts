import { mount } from 'svelte';
import '../../look/base.css';
import { settings } from '../../parts/settings.svelte';
import { firstLanguage, locale } from '../../words/locale.svelte';
import App from './App.svelte';

settings.apply();
await locale.load(firstLanguage());
mount(App, { target: document.getElementById('screen')! });
