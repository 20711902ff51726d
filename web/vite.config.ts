// Builds one page for each screen. Staff and public pages share files; the terminal has its own. In development the mock server answers,
// with an automatic dealer.

import { svelte } from '@sveltejs/vite-plugin-svelte';
import { resolve } from 'node:path';
import type { Plugin } from 'vite';
import { defineConfig } from 'vitest/config';
import { EVENT_TIMEOUT, TEST_TIMEOUT } from './tests/timeouts.ts';

const SHARING = ['index', 'display', 'console', 'pit', 'cage', 'audit'];
const SCREENS = [...SHARING, 'terminal'];

/** Chunks of the sharing pages: few files, because they compress better. */
const GROUPS = [
  { name: 'base', priority: 2, test: /node_modules\/svelte\/|src\/(look\/(base|fonts)\.|words\/(locale|languages)|protocol\/publicApi|parts\/(LanguageSwitch|Marks|Settings|settings|Sheet|Die\.|faces))/ },
  { name: 'play', priority: 1, test: /src\/(felt\/(figures|fit|odds|print|walk|wins)|parts\/(Chip|chips|pile|Roads|Bars|Countdown|Dice\.|DieSymbols|Felt|laid|rail|Limits|above|now)|state\/(bets|clock|limits|money|roads)\.|protocol\/(connection|numbered)\.)/ },
];

const pages = (names: string[]) => Object.fromEntries(names.map((name) => [name, resolve(import.meta.dirname, `${name}.html`)]));

function standIn(): Plugin {
  return {
    name: 'stand-in-house',
    apply: (_, { command, mode }) => command === 'serve' && mode === 'development',
    async configureServer(server) {
      const { MockHouse } = (await server.ssrLoadModule('/mock/house.ts')) as typeof import('./mock/house');
      const { deal } = (await server.ssrLoadModule('/mock/dealer.ts')) as typeof import('./mock/dealer');
      const house = new MockHouse(null);
      deal(house);
      server.httpServer?.on('upgrade', (request, socket, head) => void house.upgrade(request, socket, head));
      server.middlewares.use((request, response, next) => {
        if (SCREENS.includes((request.url ?? '').split(/[?#]/)[0]!.slice(1))) request.url = request.url!.replace(/^\/(\w+)/, '/$1.html');
        void house.api(request, response).then((isAnswered) => isAnswered || next());
      });
    },
  };
}

export default defineConfig({
  // Keeps the version of Svelte and long class names out of the build.
  plugins: [svelte({ compilerOptions: { runes: true, discloseVersion: false, cssHash: ({ hash, css }) => `s${hash(css).slice(0, 3)}` } }), standIn()],
  base: '/',
  build: {
    target: 'es2022',
    cssTarget: 'chrome111',
    modulePreload: { polyfill: false },
    assetsInlineLimit: 0,
  },
  builder: {
    async buildApp({ build, environments }) {
      for (const name of ['client', 'terminal']) await build(environments[name]!);
    },
  },
  environments: {
    client: { build: { rolldownOptions: { output: { codeSplitting: { groups: GROUPS } }, input: pages(SHARING) } } },
    // A player opens no other page. Sharing chunks would load code that only other pages need.
    terminal: { consumer: 'client', build: { emptyOutDir: false, copyPublicDir: false, rolldownOptions: { input: pages(['terminal']) } } },
  },
  test: {
    testTimeout: TEST_TIMEOUT,
    hookTimeout: TEST_TIMEOUT,
    teardownTimeout: EVENT_TIMEOUT,
    expect: { poll: { timeout: EVENT_TIMEOUT } },
    projects: [
      { extends: true, test: { name: 'unit', include: ['tests/unit/**/*.test.ts'], environment: 'node' } },
      ...['browser', 'house', 'pictures'].map((name) => ({
        extends: true as const,
        test: { name, include: [`tests/${name}/**/*.test.ts`], environment: 'node', maxWorkers: 3 },
      })),
    ],
  },
});
