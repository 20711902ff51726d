// What late corrections and voids came to for a session, as its player is told: what the player was owed, what the player owed for which
// rounds, what was set off, and what is left. It tells what the house has done, and reckons nothing anew.

import type { Cents, SeatView } from '../protocol/messages';

/** A message of the house to the player, who must read it. It is the house that knows what was read. */
export type Message = NonNullable<SeatView['messages']>[number];
export type Change = NonNullable<Message['changed']>;

export interface ToldChange extends Change {
  /** What was set off against earlier rounds. */
  setOff: { round: number; amount: Cents }[];
  /** What the session still owes then, over all rounds. */
  left: Cents;
}

/** A message that the player has not read, with what its change set off. */
export interface Unread extends Omit<Message, 'changed'> {
  changed: ToldChange | null;
}

/** The messages that are to be read, in their order. What was read before counts in what is set off. */
export function unreadOf(messages: readonly Message[]): Unread[] {
  const told = toldChanges(messages.flatMap(({ changed }) => changed ?? []));
  let next = 0;
  return messages.map((message) => ({ ...message, changed: message.changed ? told[next++]! : null })).filter(({ is_read }) => !is_read);
}

/** The changes of a session in their order, each with what it set off. */
export function toldChanges(changes: readonly Change[]): ToldChange[] {
  const owed: { round: number; amount: Cents }[] = [];
  return changes.map((change) => {
    const { round, amount, at_once } = change;
    const rest = amount - at_once;
    if (rest < 0) owed.push({ round, amount: -rest });
    const setOff = rest > 0 ? taken(owed, rest) : [];
    return { ...change, setOff, left: owed.reduce((sum, debt) => sum + debt.amount, 0) };
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
