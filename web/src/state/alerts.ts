// Significant events as alerts: what happened, where, and who has acknowledged it (F32).

import type { OverDifferential, Redeemer, SignificantOnFile } from '../protocol/messages';

export interface Alert {
  number: number;
  time: number;
  kind: string;
  table: number | null;
  seat: number | null;
  round: number | null;
  person: number | null;
  device: number | null;
  amount: number | null;
  /** Counted bets differ by more than the Differential (1.3). */
  over: OverDifferential | null;
  /** Whose wrong voucher numbers have locked them out, as long as they are (F45). */
  redeemer: Redeemer | null;
  /** Whether it needs a person, or is only to be known. */
  isUrgent: boolean;
  acknowledged: { by: number; time: number } | null;
}

const QUIET_KINDS = ['terminal-back', 'login-failed', 'login-unlocked', 'redemption-unlocked', 'configured', 'limit-change'];

type Fields = { table?: number; cluster?: { table: number }; seat?: number; round?: number; amount?: number; variance?: number | null; tumbler?: number; over?: OverDifferential };

export function alertOf({ number, time, what, acknowledged = null }: SignificantOnFile): Alert {
  const [outer, value] = typeof what === 'string' ? [what, null] : Object.entries(what)[0]!;
  const [kind, inner] = outer !== 'reported' ? [outer, value] : typeof value === 'string' ? [value, null] : Object.entries(value as object)[0]!;
  const redeemer = kind.startsWith('redemption-') ? (inner as Redeemer) : null;
  const fields: Fields = redeemer ? ('seat' in redeemer ? redeemer.seat : {}) : typeof inner === 'object' && inner !== null ? (inner as Fields) : {};
  const isNumber = typeof inner === 'number';
  return {
    number, time, kind,
    table: fields.table ?? fields.cluster?.table ?? null,
    seat: fields.seat ?? null,
    round: fields.round ?? null,
    person: redeemer && 'person' in redeemer ? redeemer.person : isNumber && kind.startsWith('login') ? inner : null,
    device: isNumber && !kind.startsWith('login') ? inner : (fields.tumbler ?? null),
    amount: fields.amount ?? fields.variance ?? null,
    over: fields.over ?? null,
    redeemer: kind === 'redemption-locked' ? redeemer : null,
    isUrgent: !QUIET_KINDS.includes(kind),
    acknowledged,
  };
}

/** Open alerts, urgent ones first and then the newest, and acknowledged ones, the latest first. A lock-out stays open after it was
 * acknowledged. */
export function parted(events: readonly SignificantOnFile[]): { waiting: Alert[]; seen: Alert[] } {
  const alerts = events.map((event) => (isOver(event, events) ? { ...alertOf(event), redeemer: null } : alertOf(event)));
  const waits = ({ acknowledged, redeemer }: Alert) => acknowledged === null || redeemer !== null;
  const seenAt = ({ acknowledged }: Alert) => acknowledged?.time ?? 0;
  return {
    waiting: alerts.filter(waits).sort((one, other) => Number(other.isUrgent) - Number(one.isUrgent) || other.number - one.number),
    seen: alerts.filter((alert) => !waits(alert)).sort((one, other) => seenAt(other) - seenAt(one)),
  };
}

/** Whether a lock after wrong voucher numbers was cleared later. */
function isOver({ number, what }: SignificantOnFile, events: readonly SignificantOnFile[]): boolean {
  if (typeof what === 'string' || !('redemption-locked' in what)) return false;
  const redeemer = JSON.stringify(what['redemption-locked']);
  return events.some((later) => later.number > number && typeof later.what !== 'string' && 'redemption-unlocked' in later.what && JSON.stringify(later.what['redemption-unlocked']) === redeemer);
}
