// Compresses the build as the program serves it, and fails if the terminal's scripts and styles in one language, without fonts, are over
// the limit.

import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { gzipSync } from 'node:zlib';

const MOST = 60_000;
const LANGUAGES = ['en', 'zh-Hans', 'zh-Hant'];
const PACKED = /\.(html|js|css|svg)$/;
/** A script or a style as pages and scripts name it. */
const NAMED = /["'`](?:\.\/|\/?assets\/)([\w.-]+\.(?:js|css))["'`]/g;
const DIST = resolve(import.meta.dirname, '../dist');

/** Every file that a page loads for a language, sooner or later. */
function loaded(page, language) {
  const found = new Set();
  const isOther = (name) => LANGUAGES.some((other) => other !== language && name.startsWith(`${other}-`));
  const follow = (name) => {
    const path = join('assets', name);
    if (found.has(path) || isOther(name)) return;
    found.add(path);
    if (name.endsWith('.js')) for (const [, next] of readFileSync(join(DIST, path), 'utf8').matchAll(NAMED)) follow(next);
  };
  for (const [, name] of readFileSync(join(DIST, `${page}.html`), 'utf8').matchAll(NAMED)) follow(name);
  if (![...found].some((path) => path.startsWith(join('assets', `${language}-`)))) throw new Error(`${page} loads no words of ${language}`);
  return [...found];
}

function pack() {
  const files = readdirSync(DIST, { recursive: true }).filter((path) => PACKED.test(path));
  for (const path of files) writeFileSync(join(DIST, `${path}.gz`), gzipSync(readFileSync(join(DIST, path)), { level: 9 }));
}

const size = (files) => files.reduce((sum, path) => sum + readFileSync(join(DIST, `${path}.gz`)).length, 0);

pack();
for (const page of ['terminal', 'display', 'index']) {
  const sizes = LANGUAGES.map((language) => size(loaded(page, language)));
  console.log(`${page}: ${LANGUAGES.map((language, at) => `${(sizes[at] / 1000).toFixed(1)} kB gzip in ${language}`).join(', ')}`);
  if (page === 'terminal' && Math.max(...sizes) > MOST) throw new Error(`the terminal loads more than ${MOST} bytes`);
}
