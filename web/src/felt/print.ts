// The print of each area of a felt: names, dice and odds. Everything comes from the layout; it knows no bets and no results.

import type { AreaView, Box, BoxView, CaptionView, LayoutView } from '../protocol/messages';
import { kindOf, OPPOSITES } from '../state/limits';
import { stack, type Drawn, type Item, type Rect, type TextStyle, type TextItem } from './fit';

/** Parts of the picture to a unit of the felt. */
export const UNIT = 10;

export interface Printed {
  at: Rect;
  kind: string;
  drawn: Drawn[];
  /** How much it is turned, about its middle. */
  turn: 0 | 90 | 270;
}

type Shared = [number, Item];
type PrintedLine = BoxView['printed'][number];

/** The style of a line, and its share of the height in percent. */
const LOOKS: Record<PrintedLine['role'], [TextStyle, number]> = { name: ['label', 26], character: ['sign', 0], odds: ['odds', 20], note: ['note', 24] };

/** The box's numbers: `domino:12` has 1 and 2. */
function numbersOf(box: Box): number[] {
  const [kind, rest = ''] = box.split(':');
  return kind === 'sum' ? [] : [...rest].map(Number);
}

export function placed({ x, y, width, height }: Rect): Rect {
  return { x: x * UNIT, y: y * UNIT, width: width * UNIT, height: height * UNIT };
}

function inset(at: Rect): Rect {
  const down = Math.min(at.width, at.height) / 14;
  const across = Math.max(down, at.width / 28);
  return { x: at.x + across, y: at.y + down, width: at.width - 2 * across, height: at.height - 2 * down };
}

export class Print {
  readonly #boxes: Map<Box, BoxView>;

  constructor(private readonly layout: LayoutView) {
    this.#boxes = new Map(layout.boxes.map((box) => [box.box, box]));
  }

  area(area: AreaView): Printed {
    const at = placed(area);
    const isRight = area.x * 2 >= this.layout.width;
    return { at, kind: kindOf(area.box), drawn: this.#contents(area.box, inset(at), isRight), turn: 0 };
  }

  caption(caption: CaptionView): Printed {
    const at = placed(caption);
    const words: TextItem = { text: caption.words.join('\u2003'), family: [], style: 'odds', largest: at.height > at.width ? 38 : 32 };
    const inner = inset(at);
    if (at.height <= at.width) return { at, kind: 'caption', drawn: stack(inner, [[0, words]]), turn: 0 };
    const [x, y] = [inner.x + inner.width / 2 - inner.height / 2, inner.y + inner.height / 2 - inner.width / 2];
    const turned = { x, y, width: inner.height, height: inner.width };
    const turn = caption.x * 2 < this.layout.width ? 270 : 90;
    return { at, kind: 'caption', drawn: stack(turned, [[0, words]]), turn };
  }

  /** Name and dice from the top down, then odds and notes. */
  #contents(box: Box, at: Rect, isRight: boolean): Drawn[] {
    const numbers = numbersOf(box);
    const each = numbers.map((number) => [number]);
    switch (kindOf(box)) {
      case 'small':
      case 'big':
      case 'odd':
      case 'even':
        return this.#evenChance(box, at, isRight);
      case 'single': {
        const lines = this.#lines(box, 42);
        const die: Item = { dice: each, largest: 92 };
        return lines.length === 0 ? stack(at, [[0, die]]) : beside(at, 44, die, lines, false);
      }
      case 'sum':
        return stack(at, this.#withName(box, 76, 40));
      case 'four':
        return stack(at, this.#withName(box, 54, 32));
      case 'double':
        return this.#withDice(box, at, 25, { dice: [...each, ...each], largest: 76 });
      case 'triple':
        return this.#withDice(box, at, 30, { dice: [[...numbers, ...numbers, ...numbers]], largest: 60 });
      case 'any-triple':
        return this.#withDice(box, at, 38, { dice: [1, 2, 3, 4, 5, 6].map((n) => [n, n, n]), largest: 60 });
      default:
        return this.#withDice(box, at, 30, { dice: each, largest: 60 });
    }
  }

  /** The character with its words beside it, or above them where the area is high. */
  #evenChance(box: Box, at: Rect, isRight: boolean): Drawn[] {
    const lines = this.#lines(box, 54);
    const place = this.#printed(box).findIndex(({ role }) => role === 'character');
    if (place < 0) return stack(at, lines);
    const character = this.#line(box, place, 'sign', 180);
    if (at.width > at.height) return beside(at, 38, character, lines, isRight);
    return stack(at, [[0, character], ...lines.map(([share, item]): Shared => [share * 0.7, item])]);
  }

  /** The name as large as there is room, then the other lines, which share what is given to them. */
  #withName(box: Box, largest: number, share: number): Shared[] {
    const lines = this.#lines(box, largest);
    return lines.map(([, item], place): Shared => (place === 0 ? [0, { ...(item as TextItem), style: 'sign' }] : [share / (lines.length - 1), item]));
  }

  /** Name, dice, and the other lines below them. */
  #withDice(box: Box, at: Rect, largest: number, dice: Item): Drawn[] {
    const isNamed = this.#printed(box)[0]?.role === 'name';
    const lines = this.#lines(box, largest).map(([, item], place): Shared => [isNamed && place === 0 ? 28 : 22, item]);
    const above = isNamed ? 1 : 0;
    return stack(at, [...lines.slice(0, above), [0, dice], ...lines.slice(above)]);
  }

  /** The lines of a box but for its character, each with its share of the height. */
  #lines(box: Box, largest: number): Shared[] {
    const shares = this.#printed(box).flatMap(({ role }, place): Shared[] => {
      const [style, share] = LOOKS[role];
      return role === 'character' ? [] : [[share, this.#line(box, place, style, role === 'name' ? largest : 28)]];
    });
    const given = shares.reduce((sum, [share]) => sum + share, 0);
    return shares.map(([share, item]) => [(share * 100) / Math.max(given, 100), item]);
  }

  /** A line of a box, as large as that of its whole kind and of its opposite can be. */
  #line(box: Box, place: number, style: TextStyle, largest: number): TextItem {
    const text = (of: Box) => this.#printed(of)[place]?.text ?? '';
    const family = this.layout.boxes.filter(({ box: b }) => kindOf(b) === kindOf(box) || b === OPPOSITES[box]);
    return { text: text(box), family: family.map((b) => text(b.box)), style, largest };
  }

  #printed(box: Box): PrintedLine[] {
    return this.#boxes.get(box)?.printed ?? [];
  }
}

/** A sign or die with its words beside it: on the outer side of the felt, so that its two halves mirror each other. */
function beside(at: Rect, share: number, sign: Item, words: readonly (readonly [number, Item])[], isRight: boolean): Drawn[] {
  const width = (at.width * share) / 100;
  const [signX, wordsX] = isRight ? [at.x + at.width - width, at.x] : [at.x, at.x + width];
  return [
    ...stack({ ...at, x: signX, width }, [[0, sign]]),
    ...stack({ ...at, x: wordsX, width: at.width - width }, words),
  ];
}
