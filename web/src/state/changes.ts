// Late corrections and voids of a session for its player: amounts owed either way, set-offs, and the rest. It shows what the server did
// and computes no payout.

import type { Cents, SeatView } from '../protocol/messages';

/** A message that the player must read. The server records what was read. */
export type Message = NonNullable<SeatView['messages']>[number];
export type Change = NonNullable<Message['changed']>;

export interface SetOffChange extends Change {
  setOff: { round: number; amount: Cents }[];
  /** What the session then still owes over all rounds. */
  left: Cents;
}

/** A message that the player has not read, with what its change set off. */
export interface Unread extends Omit<Message, 'changed'> {
  changed: SetOffChange | null;
}

/** The unread messages in order. Earlier ones count in the set-offs. */
export function unreadOf(messages: readonly Message[]): Unread[] {
  const changes = withSetOffs(messages.flatMap(({ changed }) => changed ?? []));
  let next = 0;
  return messages.map((message) => ({ ...message, changed: message.changed ? changes[next++]! : null })).filter(({ is_read }) => !is_read);
}

/** The changes of a session in their order, each with what it set off. */
export function withSetOffs(changes: readonly Change[]): SetOffChange[] {
  const owed: { round: number; amount: Cents }[] = [];
  return changes.map((change) => {
    const { round, amount, at_once } = change;
    const rest = amount - at_once;
    if (rest < 0) owed.push({ round, amount: -rest });
    const setOff = rest > 0 ? taken(owed, rest) : [];
    return { ...change, setOff, left: owed.reduce((sum, debt) => sum + debt.amount, 0) };
  });
}

/** Reduces debts, the oldest first. */
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
