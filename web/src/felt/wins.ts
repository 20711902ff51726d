// Which boxes the dice light, for the Dealer to see before the result is committed. What wins and what is paid is decided by the
// house alone.

import type { Box, BoxView, Dice, LayoutView } from '../protocol/messages';

/** Whether a box is lit by the dice. */
export function isLit({ box }: Pick<BoxView, 'box'>, dice: Dice): boolean {
  const [kind = '', rest = ''] = box.split(':');
  const faces = [...rest].map(Number);
  const sum = dice.reduce((total, face) => total + face, 0);
  const isTriple = new Set(dice).size === 1;
  const count = (face: number) => dice.filter((shown) => shown === face).length;
  switch (kind) {
    case 'small':
      return !isTriple && sum <= 10;
    case 'big':
      return !isTriple && sum >= 11;
    case 'odd':
      return !isTriple && sum % 2 === 1;
    case 'even':
      return !isTriple && sum % 2 === 0;
    case 'single':
      return count(faces[0]!) > 0;
    case 'sum':
      return sum === Number(rest);
    case 'domino':
      return faces.every((face) => count(face) > 0);
    case 'double':
      return count(faces[0]!) >= 2;
    case 'any-triple':
      return isTriple;
    case 'triple':
      return count(faces[0]!) === 3;
    case 'four':
      return new Set(dice).size === 3 && dice.every((face) => faces.includes(face));
    case 'three':
      return faces.every((face) => count(face) === 1);
    case 'pair':
      return count(faces[0]!) === 2 && count(faces[2]!) === 1;
    default:
      throw new Error(`no such box: ${box}`);
  }
}

/** Every box of a layout that the dice light. */
export function litBy({ boxes }: LayoutView, dice: Dice): Set<Box> {
  return new Set(boxes.filter((box) => isLit(box, dice)).map(({ box }) => box));
}
