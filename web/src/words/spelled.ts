// An act that needs approval, in words.

import type { Role, Stake, VoidReason } from '../protocol/messages';
import type { ParsedAct } from '../state/acts';
import { money } from '../state/money';
import type { Words } from './en';
import type { StaffWords } from './staff/en';

type Fields = { round: number; line: number; dice: number[]; known: number[]; reason: VoidReason; from: number; to: number; dice_set?: number | null; device: number; person: number; claim: number; serial: number; number: string; receivable: number; ruling: 'written-off' | { collected: { amount: number } }; amount: number; receipt: number; seat: number; chips: number; kind: unknown; name: string; roles: Role[]; table: number; clusters: number; key: string; value: string | number; player: string; stake: Stake; stakes: Stake[] };

/** The whole act; empty for an unknown one. */
export function spelled(act: ParsedAct | null, staff: StaffWords, { voidReasons }: Pick<Words, 'voidReasons'>, boxOf: (table: number, box: string) => string | undefined): string {
  const { spelled: texts, noRoles } = staff.pit;
  const fields = (act?.fields ?? {}) as Fields;
  const roles = () => fields.roles.map((role) => staff.roles[role]).join(', ') || noRoles;
  const on = ({ box, amount }: Stake) => staff.winners.spelled.on(money(amount), boxOf(act?.table ?? 0, box) ?? box);
  switch (act?.name) {
    case 'correct':
      return texts.correct(act.table ?? 0, fields.round, fields.dice.join(' '));
    case 'correct-known':
      return texts['correct-known'](act.table ?? 0, fields.known.join(' '));
    case 'inspect':
      return texts.inspect(act.table ?? 0, fields.dice_set ?? 0);
    case 'void-by-law':
      return texts['void-by-law'](act.table ?? 0, fields.round, voidReasons[fields.reason]);
    case 'void-damaged':
      return texts['void-damaged'](act.table ?? 0, fields.from, fields.to, fields.dice_set == null ? '' : String(fields.dice_set));
    case 'enrol':
      return texts.enrol(fields.device, kindOf(fields.kind, staff));
    case 'code':
      return texts.code(fields.device);
    case 'password':
      return texts.password(fields.person);
    case 'pay-claim':
      return texts['pay-claim'](fields.claim);
    case 'sale':
    case 'sell':
      return texts.sale(money(fields.amount));
    case 'redeem':
      return texts.redeem(fields.number.slice(-4));
    case 'rule-receivable':
      return typeof fields.ruling === 'object' ? texts.collect(fields.receivable, money(fields.ruling.collected.amount)) : '';
    case 'buy-in':
      return texts['buy-in'](act.table ?? 0, fields.seat, money(fields.amount));
    case 'reverse-buy-in':
      return texts['reverse-buy-in'](act.table ?? 0, fields.seat, fields.receipt);
    case 'issue-colour':
      return texts['buy-in'](act.table ?? 0, fields.seat, money(Number(fields.value) * fields.chips));
    case 'register':
      return staff.winners.spelled.register(act.table ?? 0, fields.seat, fields.stakes.map(on).join(', '));
    case 'register-from-film':
      return staff.winners.spelled.film(act.table ?? 0, fields.round, fields.seat, fields.player, on(fields.stake));
    case 'withdraw-from-film':
      return staff.winners.spelled.unfilm(act.table ?? 0, fields.round, fields.line);
    case 'close-returns':
      return staff.winners.spelled.close(act.table ?? 0, fields.round);
    case 'add-person':
      return texts['add-person'](fields.person, fields.name, roles());
    case 'set-roles':
      return texts['set-roles'](fields.person, roles());
    case 'suspend':
    case 'reinstate':
    case 'unlock':
      return texts[act.name](fields.person);
    case 'add-table':
      return texts['add-table'](fields.table, fields.clusters);
    case 'configure':
      return texts.configure(fields.key, String(fields.value));
    case 'reissue':
      return texts.reissue(fields.serial);
    case 'void-voucher':
      return texts['void-voucher'];
    default:
      return '';
  }
}

function kindOf(kind: unknown, { pit }: StaffWords): string {
  if (typeof kind === 'string') return pit.deviceKinds[kind as 'tumbler' | 'screen'] ?? kind;
  const [name, { cluster, seat }] = Object.entries(kind as Record<'terminal' | 'note-acceptor' | 'chip-reader', { cluster: { table: number; number: number }; seat?: number }>)[0]!;
  const where = seat === undefined ? pit.atTable(cluster.table, cluster.number) : pit.place(cluster.table, cluster.number, seat);
  return `${pit.deviceKinds[name as 'terminal']}, ${where}`;
}
