// Packs what was built, as the program sends it, and says how much a player loads: the scripts and styles of the terminal in one
// language, without fonts. More than the limit fails.

import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { gzipSync } from 'node:zlib';

const MOST = 60_000;
const LANGUAGES = ['en', 'zh-Hans', 'zh-Hant'];
const PACKED = /\.(html|js|css|svg)$/;
const DIST = resolve(import.meta.dirname, '../dist');

/** Every file that a page loads for a language, from its HTML on. */
function loaded(page, language) {
  const found = new Set();
  const read = (path) => readFileSync(join(DIST, path), 'utf8');
  const follow = (path) => {
    if (found.has(path)) return;
    found.add(path);
    if (!path.endsWith('.js')) return;
    const text = read(path);
    for (const [, name] of text.matchAll(/(?:from|import)\s*"\.\/([^"]+\.js)"/g)) follow(join('assets', name));
  };
  for (const [, path] of read(`${page}.html`).matchAll(/(?:src|href)="\/(assets\/[^"]+\.(?:js|css))"/g)) follow(path);
  const texts = [...found].map(read).join('\n');
  const words = texts.match(new RegExp(`assets/${language}-[\\w-]+\\.js`)) ?? texts.match(new RegExp(`\\./${language}-[\\w-]+\\.js`));
  if (!words) throw new Error(`${page} loads no words of ${language}`);
  follow(join('assets', words[0].replace(/^.*\//, '')));
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
