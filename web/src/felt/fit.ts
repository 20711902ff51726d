// Fits words and dice into a rectangle and says where they stand. Everything here shrinks before it spills. It knows no game:
// only texts, numbers from one to six and room.

export interface Rect {
  x: number;
  y: number;
  width: number;
  height: number;
}

export type TextStyle = 'sign' | 'label' | 'odds' | 'note';

const MOST_LINES = 3;

/** A text with those it must look alike: all of a family get the same size and number of lines. */
export interface TextItem {
  text: string;
  family: readonly string[];
  style: TextStyle;
  largest: number;
}

/** Groups of dice, each group in one row. */
export interface Groups {
  dice: readonly (readonly number[])[];
  largest: number;
}

export type Item = TextItem | Groups;

/** A line of text at the middle of its baseline, or a die at its corner. */
export type Drawn = { text: string; x: number; y: number; size: number; style: TextStyle } | { die: number; x: number; y: number; side: number };

type Fitted = { lines: string[]; size: number; style: TextStyle } | { rows: (readonly number[])[][]; side: number };

const lineOf = (style: TextStyle) => (style === 'sign' ? 1.02 : 1.18);
const spacing = (side: number) => side / 9;
const apart = (group: readonly number[], side: number) => (group.length > 1 ? side / 3 : 0);

/** Items one below the other. Each has its share of the height in hundredths; one with none gets what the others leave. */
export function stack(at: Rect, items: readonly (readonly [number, Item])[]): Drawn[] {
  const gaps = Math.max(0, items.length - 1);
  const room = at.height - gaps * (at.height / 20);
  const given = items.reduce((sum, [share]) => sum + share, 0);
  const shares = items.some(([share]) => share === 0) ? 100 : Math.max(1, given);
  const fitted = items.map(([share, item]) => fit(item, at.width, (room * share) / shares));
  const left = Math.max(0, room - fitted.reduce((sum, one, at) => sum + (items[at]![0] === 0 ? 0 : heightOf(one)), 0));
  items.forEach(([share, item], place) => {
    if (share === 0) fitted[place] = fit(item, at.width, left);
  });
  const used = fitted.reduce((sum, one) => sum + heightOf(one), 0);
  const gap = Math.min(Math.max(0, at.height - used) / (gaps + 1), at.height / 11);
  let y = at.y + Math.max(0, at.height - used - gaps * gap) / 2;
  return fitted.flatMap((one) => {
    const drawn = draw(one, at.x, y, at.width);
    y += heightOf(one) + gap;
    return drawn;
  });
}

function fit(item: Item, width: number, height: number): Fitted {
  return 'dice' in item ? pack(item, width, height) : fitText(item, width, height);
}

function heightOf(fitted: Fitted): number {
  if ('lines' in fitted) return fitted.lines.length * fitted.size * lineOf(fitted.style);
  return fitted.rows.length * fitted.side + Math.max(0, fitted.rows.length - 1) * spacing(fitted.side);
}

function draw(fitted: Fitted, x: number, y: number, width: number): Drawn[] {
  if ('lines' in fitted) {
    const { lines, size, style } = fitted;
    const step = size * lineOf(style);
    return lines.map((text, line) => ({ text, x: x + width / 2, y: y + line * step + step / 2 + size * 0.36, size, style }));
  }
  const { rows, side } = fitted;
  return rows.flatMap((row, line) => {
    let at = x + (width - rowWidth(row, side)) / 2;
    return row.flatMap((group) => {
      const dice = group.map((die) => {
        const drawn = { die, x: at, y: y + line * (side + spacing(side)), side };
        at += side + spacing(side);
        return drawn;
      });
      at += apart(group, side);
      return dice;
    });
  });
}

function fitText({ text, family, style, largest }: TextItem, width: number, height: number): Fitted {
  const size = (lines: number) => {
    const widths = [...family, text].flatMap((one) => broken(one, lines)).map(ems);
    const across = (width * 0.95) / Math.max(...widths, 0.001);
    const down = height / (lineOf(style) * broken(text, lines).length);
    return Math.min(across, down, largest);
  };
  // One more line must be worth it: the type grows by a fifth.
  let best = 1;
  for (let next = 2; next <= (style === 'sign' ? 1 : MOST_LINES); next += 1) if (size(next) > size(best) * 1.2) best = next;
  return { lines: broken(text, best), size: size(best), style };
}

/** The text in lines of about the same width: fewer where it has fewer words. */
function broken(text: string, lines: number): string[] {
  const done: string[] = [];
  let words = text.split(' ');
  for (let left = lines; left > 1 && words.length > 1; left -= 1) {
    const share = ems(words.join(' ')) / left;
    const off = (taken: number) => Math.abs(ems(words.slice(0, taken).join(' ')) - share);
    const taken = words.slice(1).map((_, at) => at + 1).reduce((best, next) => (off(next) < off(best) ? next : best));
    done.push(words.slice(0, taken).join(' '));
    words = words.slice(taken);
  }
  return [...done, words.join(' ')];
}

/** The groups in so many rows that the dice are largest. */
function pack({ dice, largest }: Groups, width: number, height: number): Fitted {
  const fitted = dice.map((_, at) => {
    const rows = chunks(dice, at + 1);
    const down = height / (rows.length + (rows.length - 1) / 9);
    const across = Math.min(...rows.map((row) => width / rowWidth(row, 1)));
    return { rows, side: Math.min(largest, down, across) };
  });
  return fitted.reduce((best, next) => (next.side > best.side + 0.01 ? next : best), { rows: [], side: 0 });
}

function chunks<T>(list: readonly T[], size: number): T[][] {
  return Array.from({ length: Math.ceil(list.length / size) }, (_, at) => list.slice(at * size, (at + 1) * size));
}

function rowWidth(row: readonly (readonly number[])[], side: number): number {
  const groups = row.reduce((sum, group) => sum + group.length * (side + spacing(side)) + apart(group, side), 0);
  return groups - spacing(side) - apart(row.at(-1) ?? [], side);
}

/** About how wide a text is in a wide serif type, in its size. */
export function ems(text: string): number {
  let width = 0;
  for (const character of text) {
    if (character === ' ') width += 0.3;
    else if (character === '\u2002') width += 0.5;
    else if ("ijltfr().,:;'·-".includes(character)) width += 0.4;
    else if ('mwMW'.includes(character)) width += 0.9;
    else if (/[A-Z]/.test(character)) width += 0.72;
    else if (/[\x20-\x7e]/.test(character)) width += 0.57;
    else width += 1;
  }
  return width;
}
