// What the stand-in house pays. The screens reckon no payout: only this does, for their tests.

import type { BoxView, Dice } from '../src/protocol/messages';

/** How many to one a box pays for the dice; nothing where it loses. */
export function paysFor({ box, pays }: BoxView, dice: Dice): number | undefined {
  const [kind = '', rest = ''] = box.split(':');
  const sum = dice.reduce((total, face) => total + face, 0);
  const isTriple = new Set(dice).size === 1;
  const count = (face: string | number) => dice.filter((shown) => shown === Number(face)).length;
  const odds = (at = 0) => {
    const [top = 0, bottom = 1] = (pays[at] ?? '0').split('/').map(Number);
    return top / bottom;
  };
  const faces = [...rest];
  const wins: Record<string, () => boolean> = {
    small: () => !isTriple && sum <= 10,
    big: () => !isTriple && sum >= 11,
    odd: () => !isTriple && sum % 2 === 1,
    even: () => !isTriple && sum % 2 === 0,
    sum: () => sum === Number(rest),
    domino: () => faces.every((face) => count(face) > 0),
    double: () => count(rest) >= 2,
    'any-triple': () => isTriple,
    triple: () => count(rest) === 3,
    four: () => new Set(dice).size === 3 && dice.every((face) => faces.includes(String(face))),
    three: () => faces.every((face) => count(face) === 1),
    pair: () => count(faces[0]!) === 2 && count(faces[2]!) === 1,
  };
  if (kind === 'single') return count(rest) > 0 ? odds(count(rest) - 1) : undefined;
  return wins[kind]?.() ? odds() : undefined;
}
