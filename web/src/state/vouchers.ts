// Why a voucher is not paid (F41), and where claims come from.

import type { ClaimOnFile, VoucherOnFile } from '../protocol/messages';

type PaidAt = Extract<VoucherOnFile['state'], { paid: unknown }>['paid']['at'];
export type Stands = 'good' | 'expired' | 'training' | { replaced: { time: number; by: number } } | { paid: { time: number; at: PaidAt } } | { void: { time: number; claim: number } };

export interface OnFile {
  serial: number;
  digits: string;
  amount: number;
  issued: number;
  expires: number;
  is_confirmed: boolean;
  stands: Stands;
}

/** The voucher behind a refusal, if it is on file. */
export function detailOf(detail: unknown): OnFile | null {
  const isOne = typeof detail === 'object' && detail !== null && 'digits' in detail && 'stands' in detail;
  return isOne ? (detail as OnFile) : null;
}

/** The amount to pay out, also from the reply to a repeated command. */
export function paidOf(accepted: unknown): number | null {
  const answer = accepted as { 'cash-paid': { amount: number } } | { 'on-file': { voucher: OnFile | null } };
  return 'cash-paid' in answer ? answer['cash-paid'].amount : (answer['on-file'].voucher?.amount ?? null);
}

export interface Origin {
  word: string;
  table: number | null;
  group: number;
  seat: number | null;
  round: number | null;
}

/** Where a claim comes from, for people. */
export function originOf({ origin }: ClaimOnFile): Origin {
  if ('session' in origin) {
    const { cluster, seat, reason } = origin.session;
    const [word, round] = typeof reason === 'string' ? [reason, null] : (Object.entries(reason)[0] as [string, number]);
    return { word, table: cluster.table, group: cluster.number, seat, round };
  }
  if ('returned' in origin) return { word: 'returned', table: origin.returned.cluster.table, group: origin.returned.cluster.number, seat: origin.returned.seat, round: null };
  return { word: Object.keys(origin)[0]!, table: null, group: 0, seat: null, round: null };
}

/** The seat that a voucher was cashed out at. */
export function seatOf({ origin }: VoucherOnFile): { table: number; group: number; seat: number } | null {
  return 'seat' in origin ? { table: origin.seat.cluster.table, group: origin.seat.cluster.number, seat: origin.seat.seat } : null;
}

/** A search among vouchers and claims: each word is a table and seat ("1/3"), last digits, an amount or a serial number. */
export function isFound(voucher: VoucherOnFile, sought: string): boolean {
  const at = seatOf(voucher);
  const names = [String(voucher.last_digits).padStart(4, '0'), String(voucher.serial), (voucher.amount / 100).toFixed(2), ...(at ? [`${at.table}/${at.seat}`] : [])];
  return sought.split(/\s+/).every((word) => word === '' || names.some((name) => name === word.replace(/^[…№]/, '') || name.startsWith(`${word}.`)));
}

export function stateOf({ state }: VoucherOnFile): string {
  return typeof state === 'string' ? state : Object.keys(state)[0]!;
}
