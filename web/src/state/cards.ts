// The player's vouchers and claims as cards: a voucher stays until it is confirmed, a claim until it is paid and the player has read so.
// They come with the seat's view, so a reload does not lose them.

import type { Cents, SeatView } from '../protocol/messages';

export type SeatMoney = NonNullable<SeatView['money']>;
type SeatVoucher = NonNullable<SeatMoney['voucher']>;
export type PaidAt = Extract<SeatVoucher['state'], { paid: unknown }>['paid'];

export type Card =
  | { kind: 'voucher'; serial: number; amount: Cents; digits: string }
  | { kind: 'voucher-paid'; serial: number; amount: Cents; digits: string; paid: PaidAt }
  | { kind: 'voucher-over'; serial: number; amount: Cents; digits: string }
  | { kind: 'claim'; claim: number; amount: Cents; isTaken: boolean; canBeTakenBack: boolean }
  | { kind: 'paid'; claim: number; amount: Cents }
  | { kind: 'coming'; amount: Cents };

/** The cards of a seat. A voucher whose number is on the screen, or on its way there, has none beside it. */
export function cardsOf(money: SeatMoney | undefined, isVoucherShown: boolean): Card[] {
  if (!money) return [];
  const cards: Card[] = money.coming > 0 ? [{ kind: 'coming', amount: money.coming }] : [];
  if (money.voucher && !isVoucherShown) cards.push(voucherCard(money.voucher));
  for (const { claim, amount } of money.paid) cards.push({ kind: 'paid', claim, amount });
  for (const { claim, amount, is_taken: isTaken, can_be_taken_back: canBeTakenBack } of money.claims) cards.push({ kind: 'claim', claim, amount, isTaken, canBeTakenBack });
  return cards;
}

function voucherCard({ serial, amount, last_digits, state }: SeatVoucher): Card {
  const of = { serial, amount, digits: String(last_digits).padStart(4, '0') };
  if (typeof state === 'object' && 'paid' in state) return { kind: 'voucher-paid', ...of, paid: state.paid };
  return { kind: state === 'good' || state === 'play' ? 'voucher' : 'voucher-over', ...of };
}
