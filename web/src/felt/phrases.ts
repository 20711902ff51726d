// What is printed on every felt beside the labels of the game. It stays as printed, whatever language the screen speaks.

export const phrases = {
  en: {
    wins: (odds: string) => `1 wins ${odds}`,
    winsOn: (odds: string, dice: number) => `1 wins ${odds} on ${dice} dice`,
    range: (from: number, to: number) => `Numbers ${from} to ${to}`,
    tripleLoses: 'Lose if any triple appears',
  },
  'zh-Hans': {
    wins: (odds: string) => `一赢${odds}`,
    winsOn: (odds: string, dice: number) => `${dice}骰一赢${odds}`,
    range: (from: number, to: number) => `${from}点至${to}点`,
    tripleLoses: '围骰通吃',
  },
  'zh-Hant': {
    wins: (odds: string) => `一贏${odds}`,
    winsOn: (odds: string, dice: number) => `${dice}骰一贏${odds}`,
    range: (from: number, to: number) => `${from}點至${to}點`,
    tripleLoses: '圍骰通吃',
  },
};

/** Odds as printed: `17/2` is `8½`. */
export function shownOdds(odds: string): string {
  const [top = 0, bottom = 1] = odds.split('/').map(Number);
  const whole = Math.trunc(top / bottom);
  const rest = (top % bottom) / bottom;
  const sign = ({ 0: '', 0.25: '¼', 0.5: '½', 0.75: '¾' } as Record<number, string>)[rest];
  return sign === undefined ? String(Math.round((top / bottom) * 100) / 100) : `${whole > 0 || sign === '' ? whole : ''}${sign}`;
}
