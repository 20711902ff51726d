/** Odds as screens show them: `17/2` is `8½`. */
export function shownOdds(odds: string): string {
  const [top = 0, bottom = 1] = odds.split('/').map(Number);
  const whole = Math.trunc(top / bottom);
  const rest = (top % bottom) / bottom;
  const sign = ({ 0: '', 0.25: '¼', 0.5: '½', 0.75: '¾' } as Record<number, string>)[rest];
  return sign === undefined ? String(Math.round((top / bottom) * 100) / 100) : `${whole > 0 || sign === '' ? whole : ''}${sign}`;
}
