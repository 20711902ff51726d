// What stands in each area of a felt: signs, labels, dice and odds, in English and Chinese as printed. Every box, place and
// odds comes from the layout; it knows neither bets nor results.

import type { AreaView, Box, BoxView, CaptionView, LayoutView } from '../protocol/messages';
import { kindOf } from '../state/limits';
import { stack, type Drawn, type Groups, type Item, type Pair, type Rect, type Voice, type Words } from './fit';
import { phrases, shownOdds } from './phrases';

/** Parts of the picture to a unit of the felt. */
export const UNIT = 10;

export interface Printed {
  at: Rect;
  kind: string;
  drawn: Drawn[];
  /** How much it is turned, about its middle. */
  turn: 0 | 90 | 270;
}

type Chinese = LayoutView['chinese'];

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
  private readonly boxes: Map<Box, BoxView>;

  constructor(private readonly layout: LayoutView) {
    this.boxes = new Map(layout.boxes.map((box) => [box.box, box]));
  }

  private get chinese(): Chinese {
    return this.layout.chinese;
  }

  area(area: AreaView): Printed {
    const at = placed(area);
    const isRight = area.x * 2 >= this.layout.width;
    return { at, kind: kindOf(area.box), drawn: this.contents(area.box, inset(at), isRight), turn: 0 };
  }

  caption(caption: CaptionView): Printed {
    const at = placed(caption);
    const told = [0, 1].map((language) => [...new Set(caption.of.map((box) => this.pays(box)[language]))].join(' · '));
    const words = this.alone([told[0]!, told[1]!], 'odds', at.height > at.width ? 38 : 32);
    const inner = inset(at);
    if (at.height <= at.width) return { at, kind: 'caption', drawn: stack(inner, [[0, words]]), turn: 0 };
    const [x, y] = [inner.x + inner.width / 2 - inner.height / 2, inner.y + inner.height / 2 - inner.width / 2];
    const turned = { x, y, width: inner.height, height: inner.width };
    const turn = caption.x * 2 < this.layout.width ? 270 : 90;
    return { at, kind: 'caption', drawn: stack(turned, [[0, words]]), turn };
  }

  /** What stands in an area: its sign, label or dice from the top down, then the notes. */
  private contents(box: Box, at: Rect, isRight: boolean): Drawn[] {
    const kind = kindOf(box);
    const notes = this.notes(box);
    const label = (largest: number) => this.words(box, 'label', largest, (b) => this.label(b));
    const sign = (largest: number) => this.words(box, 'sign', largest, (b) => this.label(b));
    const numbers = numbersOf(box);
    const each = numbers.map((number) => [number]);
    const dice = (largest: number, groups: number[][]): Groups => ({ dice: groups, largest });
    switch (kind) {
      case 'small':
      case 'big':
      case 'odd':
      case 'even': {
        const only = (language: 0 | 1) => (b: Box): Pair => [this.names(b)[language], ''];
        const character = this.words(box, 'sign', 180, only(1));
        const named: [number, Item][] = [[22, this.words(box, 'label', 54, only(0))], ...notes];
        if (at.width > at.height) return beside(at, 38, character, named, isRight);
        return stack(at, [[0, character], ...named.map(([share, item]): [number, Item] => [share * 0.7, item])]);
      }
      case 'single':
        return beside(at, 44, dice(92, each), [[0, label(42)], ...notes], false);
      case 'sum':
        return stack(at, [[0, sign(76)], ...notes]);
      case 'four':
        return stack(at, [[0, sign(54)], ...notes]);
      case 'double':
        return stack(at, [[30, label(25)], [0, dice(76, [...each, ...each])], ...notes]);
      case 'triple':
        return stack(at, [[28, label(30)], [0, dice(60, [[...numbers, ...numbers, ...numbers]])], ...notes]);
      case 'any-triple':
        return stack(at, [[24, label(38)], [0, dice(60, [1, 2, 3, 4, 5, 6].map((n) => [n, n, n]))], ...notes]);
      default:
        return stack(at, [[0, dice(60, each)], ...notes]);
    }
  }

  /** What is printed below or beside the label: sums, odds, and that a triple loses. */
  private notes(box: Box): [number, Item][] {
    const note = (share: number, voice: Voice, text: (b: Box) => Pair): [number, Item] => [share, this.words(box, voice, 28, text)];
    const notes: [number, Item][] = [];
    const view = this.boxes.get(box);
    if (view?.range) notes.push(note(23, 'note', (b) => this.range(b)));
    if (!this.isToldByCaption(box)) {
      const kind = kindOf(box);
      const share = kind === 'sum' ? 40 : kind === 'four' ? 32 : ['small', 'big', 'odd', 'even', 'single'].includes(kind) ? 20 : 22;
      notes.push(note(share, 'odds', (b) => this.pays(b)));
    }
    if (view?.loses_to_triple) {
      const phrase: Pair = [phrases.en.tripleLoses, phrases[this.chinese].tripleLoses];
      notes.push(note(34, 'note', () => phrase));
    }
    return notes;
  }

  private words(box: Box, voice: Voice, largest: number, text: (box: Box) => Pair): Words {
    const opposites: Partial<Record<Box, Box>> = { big: 'small', small: 'big', odd: 'even', even: 'odd' };
    const opposite = opposites[box];
    const family = this.layout.boxes.filter(({ box: b }) => kindOf(b) === kindOf(box) || b === opposite);
    return { texts: text(box), family: family.map((b) => text(b.box)), voice, largest };
  }

  private alone(texts: Pair, voice: Voice, largest: number): Words {
    return { texts, family: [], voice, largest };
  }

  private names(box: Box): Pair {
    const label = this.boxes.get(box)?.label;
    return [label?.en ?? box, label?.[this.chinese] ?? ''];
  }

  /** In English and Chinese; once where they are the same. */
  private label(box: Box): Pair {
    const [english, chinese] = this.names(box);
    return [english, chinese === english ? '' : chinese];
  }

  private pays(box: Box): Pair {
    const odds = (this.boxes.get(box)?.pays ?? []).map(shownOdds);
    const told = (language: 'en' | Chinese) =>
      odds.length === 1 ? phrases[language].wins(odds[0]!) : odds.map((o, at) => phrases[language].winsOn(o, at + 1)).join(' · ');
    return [told('en'), told(this.chinese)];
  }

  private range(box: Box): Pair {
    const range = this.boxes.get(box)?.range;
    return range ? [phrases.en.range(...range), phrases[this.chinese].range(...range)] : ['', ''];
  }

  /** Whether the kind's odds are printed once for all its boxes, and are the same for all. */
  private isToldByCaption(box: Box): boolean {
    const caption = this.layout.captions.find(({ of }) => of.includes(box));
    if (caption === undefined) return false;
    return new Set(caption.of.map((b) => this.boxes.get(b)?.pays.join())).size === 1;
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
