// What late corrections and voids came to for a session, as its player is told: what the player was owed, what the player owed for which
// rounds, what was set off, and what is left. It tells what the house has done, and reckons nothing anew.

import type { Cents, SeatView } from '../protocol/messages';

export type Change = NonNullable<SeatView['changes']>[number];

export interface ToldChange extends Change {
  /** What tells it apart from the others of its session. */
  id: string;
  /** What was set off against earlier rounds. */
  setOff: { round: number; amount: Cents }[];
  /** What the session still owes then, over all rounds. */
  left: Cents;
}

/** The changes of a session in their order, each with what it set off. */
export function toldChanges(changes: readonly Change[]): ToldChange[] {
  const owed: { round: number; amount: Cents }[] = [];
  const count = new Map<string, number>();
  return changes.map((change) => {
    const { round, amount, at_once } = change;
    const rest = amount - at_once;
    if (rest < 0) owed.push({ round, amount: -rest });
    const setOff = rest > 0 ? taken(owed, rest) : [];
    const name = [round, change.void ?? change.dice?.join('-'), amount].join('/');
    count.set(name, (count.get(name) ?? 0) + 1);
    return { ...change, id: `${name}/${count.get(name)}`, setOff, left: owed.reduce((sum, debt) => sum + debt.amount, 0) };
  });
}

/** Takes so much off what is owed, the oldest first. */
function taken(owed: { round: number; amount: Cents }[], rest: Cents): { round: number; amount: Cents }[] {
  const setOff: { round: number; amount: Cents }[] = [];
  for (const debt of owed) {
    const amount = Math.min(debt.amount, rest);
    if (amount === 0) continue;
    debt.amount -= amount;
    rest -= amount;
    setOff.push({ round: debt.round, amount });
  }
  return setOff;
}

/** What a terminal keeps of them over a reload: those that were not read yet, and which were told before. */
export interface KeptChanges {
  session: number | null;
  told: string[];
  unread: ToldChange[];
}

/** What is kept once a seat has told its changes. The next player does not read what the last one was told. */
export function withChanges(kept: KeptChanges | null, session: number | null, changes: readonly Change[]): KeptChanges {
  const before = kept?.session === session ? kept : { session, told: [], unread: [] };
  const found = toldChanges(changes).filter(({ id }) => !before.told.includes(id));
  return found.length === 0 ? before : { session, told: [...before.told, ...found.map(({ id }) => id)], unread: [...before.unread, ...found] };
}
