// Registers winners at a live table of the mock server, with just enough of the rules for the screens.

import type { Box, Dice, LayoutView, PayLine, RegisteringBox, RegisteringView, SeatView, StaffView, Stake, TableLimits } from '../src/protocol/messages';
import { capOf } from '../src/state/excess';
import type { Wanted } from '../src/state/winners';
import { OPPOSITES } from '../src/state/limits';
import { paysFor } from './pays';

/** Above this a stake takes a second person. */
export const REGISTRATION_LIMIT = 1_000_000;

type Returns = StaffView['returns'][number];

export type WinnersCommand =
  | { register: { seat: number; stakes: Stake[] } }
  | { 'tell-total': { box: Box; amount: number } }
  | 'all-registered'
  | { 'register-from-film': { round: number; seat: number; player: string; stake: Stake } }
  | { 'withdraw-from-film': { round: number; line: number } }
  | { 'close-returns': { round: number } };

export const isOfWinners = (command: unknown): command is WinnersCommand =>
  ['register', 'tell-total', 'all-registered', 'register-from-film', 'withdraw-from-film', 'close-returns'].includes(typeof command === 'string' ? command : Object.keys(command as object)[0]!);

export class Winners {
  readonly totals = new Map<Box, number>();
  readonly walkedAway = new Set<number>();

  constructor(
    readonly dice: Dice,
    private readonly layout: LayoutView,
    private readonly limits: TableLimits | null | undefined,
    private readonly seats: () => SeatView[],
  ) {}

  view(): RegisteringView {
    const boxes = this.layout.boxes.map(({ box }): RegisteringBox => ({ box, wins: this.wins(box), asked_for: this.askedFor(box), registered: this.registered(box), told: this.totals.get(box) ?? null, cap: this.cap(box) }));
    const isShown = ({ wins, asked_for, told, registered }: RegisteringBox) => wins || asked_for != null || told != null || registered > 0;
    return { dice: [...this.dice], is_registered: false, boxes: boxes.filter(isShown), limit: REGISTRATION_LIMIT };
  }

  lines(): PayLine[] {
    return this.seats().flatMap(({ seat, bets }) => bets.map(({ box, chips, amount }): PayLine => {
      const [total, cap] = [this.registered(box), this.cap(box)];
      const counted = total > cap ? Math.trunc((amount * cap) / total / 100) * 100 : amount;
      const odds = paysFor(this.layout.boxes.find((one) => one.box === box)!, this.dice);
      return { seat, box, chips, stake: amount, counted, returned: amount - counted, pays: odds === undefined ? 0 : counted + Math.round(counted * odds), is_claim: this.walkedAway.has(seat) };
    }));
  }

  /** A refusal code if the box takes no stakes. */
  refuses(box: Box): string | null {
    if (this.wins(box) || (this.totals.get(box) ?? 0) > this.cap(box)) return null;
    return 'losing-box';
  }

  /** Why the round cannot be settled yet. */
  lacks(): string | null {
    const { boxes } = this.view();
    if (boxes.some(({ asked_for }) => asked_for === 'total')) return 'opposite-not-told';
    return boxes.some(({ told, registered, wins, cap }) => told != null && told !== registered && (wins || told > (cap ?? Infinity))) ? 'total-differs' : null;
  }

  private wins(box: Box): boolean {
    return paysFor(this.layout.boxes.find((one) => one.box === box)!, this.dice) !== undefined;
  }

  private registered(box: Box): number {
    return this.seats().flatMap(({ bets }) => bets.filter((bet) => bet.box === box)).reduce((sum, { amount }) => sum + amount, 0);
  }

  private known(box: Box): number | undefined {
    return this.totals.get(box) ?? (this.wins(box) ? this.registered(box) : undefined);
  }

  private cap(box: Box): number {
    return capOf(new Map(this.layout.boxes.map(({ box }) => [box, this.known(box) ?? this.registered(box)])), this.limits, box);
  }

  private askedFor(box: Box): Wanted | null {
    const total = this.totals.get(box);
    if (this.wins(box) || (total !== undefined && total > this.cap(box) && total !== this.registered(box))) return 'stakes';
    const opposite = OPPOSITES[box];
    const isNeeded = opposite !== undefined && this.limits?.differential != null && (this.known(opposite) ?? 0) > this.limits.differential && this.known(box) === undefined;
    return isNeeded ? 'total' : null;
  }
}

/** Film lines of a round with open returns: adds one, removes one, or closes the returns. */
export function filmed(returns: StaffView['returns'], command: WinnersCommand): StaffView['returns'] {
  if (typeof command === 'string') return returns;
  if ('close-returns' in command) return returns.filter(({ round }) => round !== command['close-returns'].round);
  const change = (of: number, lines: (one: Returns) => Returns['lines']) =>
    returns.map((one) => {
      if (one.round !== of) return one;
      const changed = lines(one);
      return { ...one, lines: changed, owed: changed.map(({ seat, units }) => ({ seat, amount: units * one.unit })) };
    });
  if ('withdraw-from-film' in command) return change(command['withdraw-from-film'].round, ({ lines }) => lines.filter(({ number }) => number !== command['withdraw-from-film'].line));
  if (!('register-from-film' in command)) return returns;
  const { round, seat, player, stake } = command['register-from-film'];
  return change(round, ({ lines, unit }) => [...lines, { number: (lines.at(-1)?.number ?? 0) + 1, seat, player, box: stake.box, units: stake.amount / unit }]);
}
