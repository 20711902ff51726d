import { mount } from 'svelte';
import '../../look/base.css';
import '../../look/staff.css';
import { settings } from '../../parts/settings.svelte';
import { firstLanguage, speech } from '../../words/speech.svelte';
import '../../words/staff.svelte';
import App from './App.svelte';

document.documentElement.dataset['screen'] = 'audit';
settings.apply();
await speech.speak(firstLanguage());
mount(App, { target: document.getElementById('screen')! });
