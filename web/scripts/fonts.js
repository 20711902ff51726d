// Cuts the CJK fonts down to the letters in use: those of the screens' own words, of the games, and of a voucher's amount.
// The sources are Noto Sans CJK and Noto Serif CJK (SIL Open Font License), as Debian's fonts-noto-cjk installs them.

import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import subsetFont from 'subset-font';

const ROOT = resolve(import.meta.dirname, '..');
const OUT = join(ROOT, 'src/fonts');
const SOURCE = process.env['TAISAI_CJK_FONTS'] ?? '/usr/share/fonts/opentype/noto';

/** Where the Simplified and the Traditional face stand in a collection. */
const FACES = { sc: 2, tc: 3 };
/** The face whose dots and quotation marks are as narrow as those of Latin text. */
const LATIN_FACE = 1;
const FONTS = [
  { name: 'sans', weight: 'Regular' },
  { name: 'sans', weight: 'Bold' },
  { name: 'serif', weight: 'Regular' },
  { name: 'serif', weight: 'Bold' },
];
const FIRST_CJK = '\u2e80';
const LATIN = Array.from({ length: 95 }, (_, at) => String.fromCharCode(32 + at)).join('') + '–—−×·…“”‘’½¼¾\u00a0\u2002\u2003';
const AMOUNTS = '零壹贰貳叁參肆伍陆陸柒捌玖拾佰仟万萬亿億元圆圓角分整票券地点點日期序号號有效至验驗证證作废廢';

/** Every letter that a font must have: the serif is that of the felts, the sans that of everything. */
export function lettersInUse(name) {
  const folders = name === 'serif' ? ['src/felt'] : ['src/words', 'src/felt', 'src/parts', 'src/screens'];
  const own = [LATIN, '与與一二三四五六', name === 'sans' ? AMOUNTS : '', ...folders.flatMap((folder) => filesIn(join(ROOT, folder)))].join('');
  const games = readdirSync(join(ROOT, '../games')).map((file) => readFileSync(join(ROOT, '../games', file), 'utf8')).join('');
  const letters = [...own, ...games].filter((letter) => letter >= ' ');
  return [...new Set(letters)].sort().join('');
}

function filesIn(folder) {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && /\.(ts|svelte)$/.test(entry.name))
    .map((entry) => readFileSync(join(entry.parentPath, entry.name), 'utf8'));
}

/** One face of a collection, as a font of its own. */
function face(collection, number) {
  const start = collection.readUInt32BE(12 + 4 * number);
  const count = collection.readUInt16BE(start + 4);
  const head = Buffer.alloc(12 + 16 * count);
  collection.copy(head, 0, start, start + 12);
  const parts = [head];
  let at = head.length;
  for (let table = 0; table < count; table += 1) {
    const entry = start + 12 + 16 * table;
    const [offset, length] = [collection.readUInt32BE(entry + 8), collection.readUInt32BE(entry + 12)];
    collection.copy(head, 12 + 16 * table, entry, entry + 16);
    head.writeUInt32BE(at, 12 + 16 * table + 8);
    const padded = Buffer.alloc(Math.ceil(length / 4) * 4);
    collection.copy(padded, 0, offset, offset + length);
    parts.push(padded);
    at += padded.length;
  }
  return Buffer.concat(parts);
}

async function main() {
  const wanted = JSON.stringify([FONTS, FACES, LATIN_FACE, ['sans', 'serif'].map(lettersInUse)]);
  const kept = join(OUT, 'letters.json');
  if (existsSync(kept) && readFileSync(kept, 'utf8') === wanted) return;
  mkdirSync(OUT, { recursive: true });
  for (const { name, weight } of FONTS) {
    const letters = lettersInUse(name);
    const path = join(SOURCE, `Noto${name === 'sans' ? 'Sans' : 'Serif'}CJK-${weight}.ttc`);
    if (!existsSync(path)) throw new Error(`${path} is missing: install fonts-noto-cjk, or name its folder by TAISAI_CJK_FONTS`);
    const collection = readFileSync(path);
    const isLatin = (letter) => letter < FIRST_CJK;
    const cut = async (script, number, wanted) => {
      const font = await subsetFont(face(collection, number), wanted, { targetFormat: 'woff2', noLayoutClosure: true });
      const file = `${name}-${script}-${weight.toLowerCase()}.woff2`;
      writeFileSync(join(OUT, file), font);
      console.log(`${file} ${Math.round(font.length / 1024)} kB, ${[...wanted].length} letters`);
    };
    await cut('latin', LATIN_FACE, [...letters].filter(isLatin).join(''));
    for (const [script, number] of Object.entries(FACES)) await cut(script, number, [...letters].filter((letter) => !isLatin(letter)).join(''));
  }
  writeFileSync(kept, wanted);
}

if (process.argv[1] === import.meta.filename) await main();
