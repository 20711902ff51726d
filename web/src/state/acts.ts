// Acts that need approval: written as JSON into the request, and parsed for the person who approves.

import type { Act, ApprovalOnFile, ClusterCommand, HouseCommand, RoundCommand } from '../protocol/messages';

/** Its JSON is the text of the approval. */
export type ApprovableAct = { table: { table: number; round: RoundCommand } } | { cluster: { table: number; number: number; command: ClusterCommand } } | { house: HouseCommand } | { password: { person: number } } | { code: { device: number } };

/** An act with its name and what it is about, in an order that people read. */
export interface ParsedAct {
  name: string;
  table: number | null;
  fields: Record<string, unknown>;
}

/** Reads an act; nothing where it cannot be read. */
export function read(what: string): ParsedAct | null {
  try {
    const act = JSON.parse(what) as ApprovableAct | { sale: { amount: number } } | { reissue: { serial: number } };
    if ('sale' in act) return { name: 'sale', table: null, fields: act.sale };
    if ('reissue' in act) return { name: 'reissue', table: null, fields: act.reissue };
    if ('table' in act) return { ...named(act.table.round), table: act.table.table };
    if ('cluster' in act) return { ...named(act.cluster.command), table: act.cluster.table };
    if ('house' in act) return { ...named(act.house), table: null };
    if ('password' in act) return { name: 'password', table: null, fields: act.password };
    return { name: 'code', table: null, fields: act.code };
  } catch {
    return null;
  }
}

function named(command: RoundCommand | ClusterCommand | HouseCommand): Pick<ParsedAct, 'name' | 'fields'> {
  if (typeof command === 'string') return { name: command, fields: {} };
  const [name, fields] = Object.entries(command)[0]!;
  const { second: _, ...rest } = fields as Record<string, unknown>;
  return { name, fields: rest };
}

/** The act to send. The House does not know voucher numbers (F42), so voiding one needs the number from the form. */
export function carried(what: string, number: string | null = null): ApprovableAct | null {
  const act = read(what);
  if (!act) return null;
  if (act.name === 'void-voucher') return number === null ? null : { house: { void: { number, why: String(act.fields['why']) } } };
  const parsed = JSON.parse(what) as ApprovableAct | { sale: { amount: number } } | { reissue: { serial: number } };
  if ('sale' in parsed) return { house: { sell: parsed.sale } };
  return 'reissue' in parsed ? { house: parsed } : parsed;
}

/** The act of a command that was sent to this path. */
export function whatOf(path: string, command: unknown): ApprovableAct {
  const table = Number(/^tables\/(\d+)\//.exec(path)?.[1] ?? 0);
  if (table === 0) return { house: command as HouseCommand };
  const at = command as { round: RoundCommand } | { cluster: { number: number; command: ClusterCommand } };
  return 'round' in at ? { table: { table, round: at.round } } : { cluster: { table, ...at.cluster } };
}

/** Which right an act needs. */
export function rightOf(what: ApprovableAct): Act {
  if ('password' in what) return 'manage-people';
  if ('code' in what) return 'manage-devices';
  const { name } = named('table' in what ? what.table.round : 'cluster' in what ? what.cluster.command : what.house);
  const rights: Record<string, Act> = {
    correct: 'correct', 'correct-known': 'correct', inspect: 'void-damaged', 'void-by-law': 'void-by-law', 'void-damaged': 'void-damaged', enrol: 'manage-devices', 'pay-claim': 'large-hand-pay', sell: 'large-sale', reissue: 'reissue-voucher', 'buy-in': 'large-buy-in', 'issue-colour': 'large-buy-in', 'reverse-buy-in': 'reverse-buy-in', register: 'large-registration', 'register-from-film': 'correct', 'withdraw-from-film': 'correct', 'close-returns': 'correct', void: 'void-voucher', 'void-voucher': 'void-voucher',
    'add-person': 'manage-people', 'set-roles': 'manage-people', suspend: 'manage-people', reinstate: 'manage-people', unlock: 'manage-people', configure: 'configure', 'add-table': 'configure',
  };
  const right = rights[name];
  if (!right) throw new Error(`nobody approves ${name}`);
  return right;
}

/** Requests of other people that wait for an answer. */
export function toAnswer(approvals: readonly ApprovalOnFile[], me: number): ApprovalOnFile[] {
  return approvals.filter(({ by, answer }) => by !== me && answer === 'waiting');
}

/** Requests of this person that are not used yet. */
export function ownOf(approvals: readonly ApprovalOnFile[], me: number): ApprovalOnFile[] {
  return approvals.filter(({ by, used }) => by === me && used == null);
}

export type ApprovalProgress = 'waiting' | 'approved' | 'refused';

export function standOf({ answer }: ApprovalOnFile): ApprovalProgress {
  return answer === 'waiting' ? 'waiting' : 'approved' in answer ? 'approved' : 'refused';
}
