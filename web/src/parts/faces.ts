// The faces of a die: where its pips lie on a square of a hundred. The one is large and red, the four is red.

export const PIPS: readonly (readonly (readonly [number, number])[])[] = [
  [[50, 50]],
  [[28, 28], [72, 72]],
  [[26, 26], [50, 50], [74, 74]],
  [[29, 29], [71, 29], [29, 71], [71, 71]],
  [[28, 28], [72, 28], [50, 50], [28, 72], [72, 72]],
  [[30, 25], [70, 25], [30, 50], [70, 50], [30, 75], [70, 75]],
];

export const colourOf = (face: number) => (face === 1 || face === 4 ? '#c4121f' : '#1c1a1a');
export const radiusOf = (face: number) => (face === 1 ? 16 : 10);
