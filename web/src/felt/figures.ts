// The digits on chips as strokes: cheaper than text, which the browser lays out again with each change.

/** How wide each letter is with the room beside it, and its strokes from the left end of its baseline, in hundredths of its size. */
const STROKES: Readonly<Record<string, readonly [number, string]>> = {
  '0': [57, 'm28.5-67c-11.5 0-17.5 10-17.5 30.5s6 30.5 17.5 30.5 17.5-10 17.5-30.5-6-30.5-17.5-30.5z'],
  '1': [57, 'm16-57 15-10v61'],
  '2': [57, 'm12-53c2-9 8-14 16-14 10 0 17 7 17 16 0 9-6 16-13 23l-20 22h35'],
  '3': [57, 'm13-60c4-5 9-7 15-7 9 0 16 6 16 14.5s-7 14.5-18 14.5c12 0 20 6 20 15.5s-8 16.5-19 16.5c-7 0-13-3-17-8'],
  '4': [57, 'm36-6v-61l-28 45h41'],
  '5': [57, 'm43-67h-26l-2 29c4-4 8-5 13-5 11 0 18 7 18 18s-8 19-20 19c-6 0-11-2-15-7'],
  '6': [57, 'm43-61c-3-4-8-6-13-6-12 0-19 12-19 33 0 19 7 28 18 28 10 0 17-8 17-19s-7-18-17-18c-9 0-17 7-18 16'],
  '7': [57, 'm11-67h35c-12 17-19 35-21 61'],
  '8': [57, 'm28.5-38c-9.5 0-15.5-6-15.5-14.5s6-14.5 15.5-14.5 15.5 6 15.5 14.5-6 14.5-15.5 14.5-17.5 6-17.5 16 7 16 17.5 16 17.5-6 17.5-16-7-16-17.5-16z'],
  '9': [57, 'm14-12c3 4 8 6 13 6 12 0 19-12 19-33 0-19-7-28-18-28-10 0-17 8-17 19s7 18 17 18c9 0 17-7 18-16'],
  '.': [26, 'm13-6h.1'],
  'k': [56, 'm13-6v-66m30 22-30 25m11-8 21 27'],
  'M': [84, 'm15-6v-61l27 43 27-43v61'],
  '+': [57, 'm28.5-58v42m-21-21h42'],
};

/** The strokes of a text of these letters, about the middle of its baseline. */
export function figureOf(text: string): string {
  const glyphs = [...text].map((character) => STROKES[character]!);
  let at = glyphs.reduce((sum, [width]) => sum + width, 0) / -2;
  let path = '';
  for (const [width, strokes] of glyphs) {
    path += `M${at} 0${strokes}`;
    at += width;
  }
  return path;
}
