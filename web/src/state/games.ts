// What a staff screen says of a game before the house is asked: whether the dice lie under a cover, whether limits are shown, and
// the paragraphs to cite. The house decides by its own; a test holds these to the games' files.

export type Cited = 'few-tumbles' | 'not-flat' | 'exposed' | 'activated-early' | 'not-established' | 'concluded' | 'damaged-dice' | 'wrong-result' | 'ruling' | 'void-returned' | 'placed-by-staff' | 'excess';

export interface GameFacts {
  isCovered: boolean;
  hasLimits: boolean;
  hasColourChips: boolean;
  paragraphs: Partial<Record<Cited, readonly string[]>>;
}

const TAI_SAI = {
  'few-tumbles': ['5.5.1'], 'not-flat': ['5.5.2'], 'not-established': ['5.4.2'], concluded: ['5.4.1'], 'damaged-dice': ['5.6'],
  'wrong-result': ['3.9', '5.10', '5.11'], ruling: ['5.14'], 'void-returned': ['5.12'], 'placed-by-staff': ['5.13', '1.5'], excess: ['5.1'],
};

const GAMES: Record<string, GameFacts> = {
  'tai-sai': { isCovered: true, hasLimits: true, hasColourChips: false, paragraphs: { ...TAI_SAI, exposed: ['5.5.3'] } },
  'tai-sai-open-cover': { isCovered: false, hasLimits: true, hasColourChips: false, paragraphs: { ...TAI_SAI, 'activated-early': ['5.5.3'] } },
  'tai-sai-classic': {
    isCovered: true,
    hasLimits: false,
    hasColourChips: true,
    paragraphs: {
      'few-tumbles': ['5.1.2'], 'not-flat': ['5.1.3'], exposed: ['5.1.4'], 'damaged-dice': ['5.1.1'], 'not-established': ['003:5.4.2'], concluded: ['003:5.4.1'],
      'wrong-result': ['003:3.9', '003:5.10', '003:5.11'], ruling: ['003:5.14'], 'void-returned': ['003:5.12'], 'placed-by-staff': ['003:5.13', '003:1.5'],
    },
  },
  'sic-bo-etg': {
    isCovered: false,
    hasLimits: true,
    hasColourChips: false,
    paragraphs: {
      'few-tumbles': ['5.3.1'], 'not-flat': ['5.3.2'], 'activated-early': ['5.3.3'], 'not-established': ['5.1.2'], concluded: ['5.1.1'], 'damaged-dice': ['5.4'],
      'wrong-result': ['5.5'], ruling: ['5.10'], 'void-returned': ['5.9'],
    },
  },
};

/** The facts of a game, by its id with or without its version. */
export function factsOf(game: string): GameFacts {
  const facts = GAMES[game.split('@')[0]!];
  if (!facts) throw new Error(`no such game: ${game}`);
  return facts;
}
