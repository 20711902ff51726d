// The details of events in the reader's language. The record writes them tersely in English; unknown ones are shown as written.

import type { EventLine, VoidReason } from '../protocol/messages';
import { read } from '../state/acts';
import { money } from '../state/money';
import type { Words } from './en';
import { spelled } from './spelled';
import type { StaffWords } from './staff/en';

export interface EventWords {
  staff: StaffWords;
  words: Words;
  /** A box as its table prints it. */
  boxOf: (table: number, box: string) => string | undefined;
}

type Event = Pick<EventLine, 'kind' | 'detail' | 'table'>;
type DetailWords = (found: RegExpExecArray, say: EventWords, event: Event) => string | undefined;

const cents = (text: string | undefined) => money(Number(text), true);
const dice = (text: string) => text.replaceAll('-', ' ');
/** Shortens hashes; files have them in full. */
const brief = (text: string) => text.replace(/([0-9a-f]{12})[0-9a-f]{20,}/g, '$1…');
const voided: DetailWords = ([code], { words }) => words.voidReasons[code as VoidReason];
const instead: DetailWords = ([, before, now], { staff, words }) => staff.audit.details.instead(before === 'void' ? words.void : dice(before!), dice(now!));
const stood = (text: string, { staff, words }: EventWords) => {
  const void_ = /^void, ([a-z-]+)$/.exec(text);
  if (text === 'in play') return staff.pit.inPlay;
  return void_ ? words.void : dice(text);
};
const ruled: DetailWords = ([, before, after], say) => say.staff.audit.details.instead(stood(before!, say), stood(after!, say));
const reused: DetailWords = ([, source], { staff }) => staff.audit.details.source(Number(source));

const REQUESTED_ACT = /^[a-z-]+: (.*)$/s;

/** How the record writes the detail of each kind, and how to say it. */
const DETAILS: Record<string, [RegExp, DetailWords]> = {
  limits: [/^unit (\d+)(?:, (\d+))?$/, ([, unit, most], { staff: { audit: { details } } }) => [details.unit(cents(unit)), ...(most ? [details.differential(cents(most))] : [])].join(details.between)],
  'dice-in-use': [/^\d+$/, ([set], { staff }) => staff.audit.diceSet(Number(set))],
  'tumbler-in-use': [/^\d+$/, ([device], { staff }) => staff.audit.tumbler(Number(device))],
  'dice-differ': [/^[1-6]-[1-6]-[1-6]$/, ([faces]) => dice(faces)],
  void: [/^[a-z-]+$/, voided],
  'late-void': [/^[a-z-]+$/, voided],
  interrupted: [/^(\d) dice known$/, ([, count], { staff }) => staff.audit.details.known(Number(count))],
  correction: [/^([\d-]+|void) to ([\d-]+)$/, instead],
  reinstatement: [/^([\d-]+|void) to ([\d-]+)$/, instead],
  ruling: [/^[a-z]+$/, ([code], { staff }) => staff.pit.rulings[code as 'note']],
  'money-ruling': [/^(.+) to (.+?)(; not witnessed yet)?$/, ruled],
  'excess-rejected': [/^\S+$/, ([box], { boxOf }, { table }) => boxOf(table ?? 0, box)],
  'over-differential': [
    /^(\S+) (\d+), (\S+) (\d+), differential (\d+)(?:, (\S+))?$/,
    ([, box, counted, opposite, other, most, cited], { staff, boxOf }, { table }) => {
      const name = (of: string) => boxOf(table ?? 0, of) ?? of;
      return staff.pit.counted(name(box!), cents(counted), name(opposite!), cents(other), cents(most)) + (cited ? ` (${cited})` : '');
    },
  ],
  adjustment: [/^(-?)(\d+) at once$/, ([, minus, amount], { staff: { audit: { details } } }) => (minus ? details.fromCredits : details.toCredits)(cents(amount))],
  enrol: [/^[a-z-]+$/, ([code], { staff }) => staff.pit.deviceKinds[code as 'terminal']],
  'request-approval': [REQUESTED_ACT, ([, what], { staff, words, boxOf }) => spelled(read(what!), staff, words, boxOf)],
  'answer-approval': [/^(\d+) (approved|refused)$/, ([, approval, answer], { staff }) => staff.audit.details.answered(Number(approval), staff.pit.stands[answer as 'approved'])],
  acknowledge: [/^(\d+) (?:reported-)?([a-z-]+)$/, ([, event, kind], { staff: { audit } }) => (audit.events[kind!] ? audit.details.noted(Number(event), audit.events[kind!]!) : undefined)],
  'command-id-reused': [/^source (\d+)$/, reused],
  'clock-stepped': [/^(-?\d+) milliseconds$/, ([, millis], { staff }) => staff.audit.details.stepped((Number(millis) / 1_000).toFixed(1).replace('-', '−'))],
  'program-started': [/^program (\S+ \S+?)(?:, rules (\S+?))?, profile (\S+ \S+)$/, ([, version, rules, profile], { staff: { audit: { details } } }) => brief([details.program(version!), ...(rules ? [details.rules(rules)] : []), details.profile(profile!)].join(details.between))],
};

/** The name of an event. The detail of an assignment is the position, so the name includes it. */
export function eventName({ kind, detail, subject }: Pick<EventLine, 'kind' | 'detail' | 'subject'>, { audit, console }: StaffWords): string {
  const position = kind === 'relieved' ? console.positions[detail as 'dealer'] : undefined;
  if (position) return subject == null ? audit.relieved(position) : audit.assigned(position);
  return audit.events[kind.replace(/^reported-/, '')] ?? kind;
}

/** The detail of an event. `isForeign` where it stands as the record wrote it, in English; nothing where there is none. */
export function detailOf(event: Event, say: EventWords): { text: string; isForeign: boolean } | null {
  if (event.detail == null || event.kind === 'relieved') return null;
  const [form, write] = DETAILS[event.kind.replace(/^reported-/, '')] ?? [];
  const found = form?.exec(event.detail);
  const text = found && write!(found, say, event);
  return text ? { text, isForeign: false } : { text: event.detail, isForeign: true };
}

/** The reason as the person wrote it; that of a request is inside its act. */
export function whyOf({ kind, detail, why }: Pick<EventLine, 'kind' | 'detail' | 'why'>): string | null {
  const asked = kind === 'request-approval' ? read(REQUESTED_ACT.exec(detail ?? '')?.[1] ?? '')?.fields['why'] : null;
  return why ?? (typeof asked === 'string' ? asked : null);
}
