// The answer to a cash-out or a sale: a voucher to be printed, or why there is none.

import type { OnFile } from '../state/vouchers';
import type { Voucher } from './messages';

/** The reply to a command that issues a voucher. */
export type Issued = { voucher: { voucher: Voucher; page: string } } | { claim: { claim: number; amount: number } } | { 'play-money': object } | { closed: object } | { 'on-file': { voucher: OnFile | null } };

/** The voucher to be printed, with its page; nothing where none was issued. */
export function voucherOf(issued: Issued): Voucher | null {
  return 'voucher' in issued ? { ...issued.voucher.voucher, page: issued.voucher.page } : null;
}
