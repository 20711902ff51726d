// Which seats of a round the Dealer has ticked off as paid: kept in the browser, so that a reload does not ask again.

const KEPT = 'taisai.ticked';

interface Ticked {
  table: number;
  round: number;
  seats: number[];
}

export function keptTicks(table: number, round: number): number[] {
  try {
    const kept = JSON.parse(localStorage.getItem(KEPT) ?? 'null') as Ticked | null;
    return kept?.table === table && kept.round === round ? kept.seats : [];
  } catch {
    return [];
  }
}

export function keepTicks(ticked: Ticked): void {
  localStorage.setItem(KEPT, JSON.stringify(ticked));
}
