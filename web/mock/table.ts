// A table of the mock server: rounds, seats and their views, with just enough of the rules for the screens.

import type { Box, Dice, GameLine, LastGame, LayoutView, PayLine, PayList, PublicChange, PublicView, ResultView, RoundCommand, SeatCommand, SeatHealth, SeatView, StaffView, Stake, TableLimits, VoidReason } from '../src/protocol/messages';
import { withResult } from '../src/protocol/numbered';
import { roomOf } from '../src/state/excess';
import { kindOf, limitOf } from '../src/state/limits';
import { belowOf, excessOf } from './excess';
import { gameOf } from './games';
import { paysFor } from './pays';
import { filmed, isOfWinners, Winners, type WinnersCommand } from './winners';

export interface Screen {
  send(message: unknown): void;
}

interface Seat {
  view: SeatView;
  last: Stake[];
  screen: Screen | null;
  answered: Map<number, unknown>;
  /** Whether the answer to the next command about money is lost. */
  isAnswerLost?: boolean;
  games: GameLine[];
}

const SENTENCES: Record<string, [string, string[]]> = {
  'no-round-open': ['No round is open for bets.', ['3.2']],
  'bets-closed': ['No more bets: nothing is placed, increased or withdrawn.', ['3.5']],
  'over-limit': ['The bet would be over the maximum.', ['3.3']],
  'below-minimum': ['The bet would be below the minimum.', ['3.3']],
  'not-enough-credits': ['There are not enough credits.', []],
  'nothing-to-repeat': ['There was no bet in the last round to repeat.', []],
  'no-such-bet': ['There is no such bet, or less than is withdrawn.', []],
  'voucher-not-on-file': ['The voucher is not on file.', []],
  'seat-locked': ['The seat is locked until an attendant clears it.', []],
};

/** Commands about money: their replies come without the seat. */
const OF_MONEY = ['redeem', 'insert-note', 'cash-out-to-voucher', 'reissue-voucher', 'confirm-voucher', 'take-back-claim', 'read-claim'];

const NO_MONEY: NonNullable<SeatView['money']> = { claims: [], paid: [], voucher: null, coming: 0 };

const originAt = (table: number, seat: number) => ({ session: { cluster: { table, number: 0 }, seat, session: 7, reason: 'cash-out' as const } });

const NO_METERS = { bought_in: 0, bet: 0, won: 0, returned: 0, dispensed: 0, owed: 0, rounds: 0, voids: 0 };

export const LIMITS: TableLimits = {
  unit: 100,
  boxes: [
    ...(['small', 'big', 'odd', 'even'] as const).map((boxes) => ({ boxes, min: 2_500, max: 500_000 })),
    ...(['single', 'sum', 'domino', 'four'] as const).map((boxes) => ({ boxes, min: 1_000, max: 100_000 })),
    ...(['double', 'any-triple', 'three', 'pair'] as const).map((boxes) => ({ boxes, min: 1_000, max: 50_000 })),
    { boxes: 'triple', min: 1_000, max: 20_000 },
  ],
  differential: null,
};

export class MockTable {
  readonly seats = new Map<number, Seat>();
  readonly displays = new Set<Screen>();
  readonly consoles = new Set<Screen>();
  /** Whether a live table refuses bets over a limit. */
  refusesExcess = false;
  private isExcessTaken = true;
  /** Players elsewhere who are not listed. */
  unlisted = 0;
  private vouchers = 0;
  private claims = 0;
  private winners: Winners | null = null;
  private staff: StaffView = { number: 0, supervisor: 3, manager: null, dice_set: 4, tumbler: 190, damaged_sets: [], to_be_ruled: [], unwitnessed: [], is_covered: false, known: [], excess: [], below: [], faces: null, totals: [], bets: [], meters: [], registering: null, pay_list: null, returns: [], seats: [], gone: [], unlisted: 0 };
  private view: PublicView;

  private receipts = 0;
  private readonly bought = new Map<number, NonNullable<SeatHealth['buy_in']>>();

  constructor(
    readonly table: number,
    readonly layout: LayoutView,
    private readonly now: () => number,
    isTraining: boolean,
  ) {
    const kinds = new Set(layout.boxes.map(({ box }) => kindOf(box)));
    const boxes = LIMITS.boxes.filter(({ boxes }) => kinds.has(boxes));
    const isLive = !layout.has_terminals;
    this.view = {
      number: 0, table, game: layout.game.split('@')[0]!, layout: layout.layout, is_training: isTraining, is_game_approved: true, round: 0, phase: 'idle',
      closes_at: null, closure_announced: false, is_held: false, is_interrupted: false, registration: 'every-bet', is_registering: false, tumbles: null, dealer: 21,
      limits: { ...LIMITS, boxes, differential: isLive ? 200_000 : null }, latest: null, results: [],
    };
  }

  get phase() {
    return this.view.phase;
  }

  /** Past rounds, for screens with a history. */
  remember(results: Dice[]): void {
    const past = results.map((dice, at): ResultView => ({ round: at + 1, dice: [...dice], void: null }));
    this.view = { ...this.view, round: results.length, results: past.reverse() };
  }

  seat(number: number): Seat {
    const present = this.seats.get(number) ?? {
      view: { number: 0, seat: number, session: 7, credits: 100_000, on_layout: 0, bets: [], is_locked: false, meters: { ...NO_METERS, bought_in: 100_000 } },
      last: [], screen: null, answered: new Map(), games: [],
    };
    this.seats.set(number, present);
    return present;
  }

  sit(number: number, screen: Screen): void {
    const seat = this.seat(number);
    seat.screen = screen;
    screen.send({ snapshot: { time: this.now(), source: 40, public: this.view, seat: seat.view } });
  }

  show(screen: Screen): void {
    this.displays.add(screen);
    screen.send({ snapshot: { time: this.now(), public: this.view } });
  }

  /** A staff screen sees more. */
  attend(screen: Screen): void {
    this.consoles.add(screen);
    this.staff = { ...this.staff, ...this.held(), ...this.registering() };
    screen.send({ snapshot: { time: this.now(), source: 41, sequence: 0, public: this.view, staff: this.staff } });
  }

  /** Earlier results. */
  keep(meters: Partial<typeof NO_METERS>): void {
    this.staff = { ...this.staff, meters: [{ ...NO_METERS, ...meters }] };
  }

  private held(): Pick<StaffView, 'totals' | 'bets' | 'seats' | 'excess' | 'below' | 'unlisted'> {
    const views = [...this.seats.values()];
    const totals = new Map<Box, number>();
    for (const { view } of views) for (const { box, amount } of view.bets) totals.set(box, (totals.get(box) ?? 0) + amount);
    const seats = views.map(({ view, screen }): SeatHealth => ({
      cluster: 0, seat: view.seat, session: view.session ?? null, credits: view.credits, on_layout: view.on_layout, is_connected: screen !== null, is_lost: screen === null && view.session != null, is_locked: view.is_locked, buy_in: this.bought.get(view.seat) ?? null,
    }));
    const bets = this.layout.has_terminals ? [] : views.flatMap(({ view: { seat, bets: own } }) => own.map((bet) => ({ cluster: 0, seat, ...bet })));
    const excess = excessOf(views.map(({ view }) => view), totals, this.view.limits, this.layout.boxes.map(({ box }) => box));
    const below = this.view.phase === 'open' && this.layout.has_differential ? belowOf(views.map(({ view }) => view), totals, this.view.limits) : [];
    return { totals: [...totals].map(([box, amount]) => ({ box, amount })), bets, seats, excess, below, unlisted: this.unlisted };
  }

  attended(more: Partial<StaffView> = {}): void {
    const change = { ...this.held(), ...this.registering(), ...more, number: this.staff.number + 1 };
    this.staff = { ...this.staff, ...change };
    for (const screen of this.consoles) screen.send({ staff: change });
  }

  private registering(): Partial<StaffView> {
    if (!this.winners) return {};
    return { registering: this.winners.view(), pay_list: { round: this.view.round, dice: [...this.winners.dice], is_settled: false, lines: this.winners.lines(), ticked_off: [] } };
  }

  get public(): PublicView {
    return this.view;
  }

  /** Carries out a command of staff; gives the code of a refusal. */
  command(command: RoundCommand): string | null {
    const { phase, tumbles } = this.view;
    const isBetween = phase === 'idle' || phase === 'settled' || phase === 'void';
    if (command === 'open-table') this.change({ phase: 'idle' });
    else if (command === 'close-table') return isBetween && this.view.closure_announced ? (this.change({ phase: 'shut', closure_announced: false }), null) : 'closure-not-announced';
    else if (command === 'announce-closure') this.change({ closure_announced: true });
    else if (command === 'open-bets') return isBetween ? (this.open(), null) : 'round-in-play';
    else if (command === 'close-bets') return phase === 'open' ? (this.change({ phase: 'closed', closes_at: null }), null) : 'bets-closed';
    else if (command === 'activate') return this.activate();
    else if (command === 'cover') this.attended({ is_covered: true });
    else if (command === 'uncover') phase === 'open' && tumbles != null ? this.void('exposed') : this.attended({ is_covered: false });
    else if (command === 'continue') this.change({ is_held: false, closes_at: phase === 'open' ? this.now() + 36_000 : null });
    else if (typeof command === 'string') return 'not-allowed';
    else if ('tumbled' in command) this.change({ tumbles: (tumbles ?? 0) + command.tumbled.times });
    else if ('at-rest' in command) this.attended({ faces: command['at-rest'].faces });
    else if ('correct-known' in command) this.attended({ known: command['correct-known'].known });
    else if ('inspect' in command) this.attended({ damaged_sets: this.staff.damaged_sets.filter((set) => set !== command.inspect.dice_set) });
    else if ('use-tumbler' in command) this.attended({ tumbler: command['use-tumbler'].tumbler });
    else if ('rule' in command) return null;
    else if ('witness' in command) this.attended({ unwitnessed: this.staff.unwitnessed.filter(({ round }) => round !== command.witness.round) });
    else if ('commit' in command) return phase === 'closed' && (tumbles ?? 0) >= 3 ? (this.commit(command.commit.dice), null) : 'not-tumbled';
    else if ('void' in command) this.void(command.void.reason);
    else if ('interrupt' in command) {
      if (command.interrupt.known.length === 0) this.void('not-established');
      else (this.change({ is_interrupted: true }), this.attended({ known: command.interrupt.known }));
    } else if ('relieve' in command) this.change({ dealer: command.relieve.person ?? null });
    else if ('show-limits' in command) this.change({ limits: command['show-limits'].limits });
    else if ('correct' in command) this.change({ latest: { round: command.correct.round, dice: command.correct.dice, void: null } });
    else return 'not-allowed';
    return null;
  }

  private activate(): string | null {
    const isCovered = ['tai-sai', 'tai-sai-classic'].includes(this.view.game);
    if (this.view.phase === 'open' && !isCovered) this.void('activated-early');
    else this.change({ tumbles: 0 });
    return null;
  }

  /** Everyone sees a change. */
  change(change: Omit<PublicChange, 'number'>): void {
    const numbered = { ...change, number: this.view.number + 1 };
    const results = change.latest ? withResult(this.view.results ?? [], change.latest) : (this.view.results ?? []);
    this.view = { ...this.view, ...numbered, results } as PublicView;
    for (const screen of [...this.displays, ...this.consoles, ...[...this.seats.values()].map(({ screen }) => screen)]) screen?.send({ public: numbered });
    if (change.phase) this.attended();
  }

  /** A number is left out, as if a message was lost. */
  skip(): void {
    this.view = { ...this.view, number: this.view.number + 1 };
  }

  open(seconds = 36): void {
    this.attended({ pay_list: null });
    this.change({ phase: 'open', round: this.view.round + 1, closes_at: this.now() + seconds * 1_000, tumbles: null, is_interrupted: false });
  }

  close(): void {
    this.change({ phase: 'closed', closes_at: null, tumbles: 0 });
  }

  commit(dice: Dice): void {
    const winners = this.layout.boxes.filter((box) => paysFor(box, dice) !== undefined).map(({ box }) => box);
    const latest = { round: this.view.round, dice: [...dice], void: null, winners };
    if (this.view.registration === 'winners') {
      this.winners = new Winners(dice, this.layout, this.view.limits, () => [...this.seats.values()].map(({ view }) => view));
      this.change({ phase: 'result', is_registering: true, latest });
      return;
    }
    this.change({ phase: 'result', latest });
    const pay_list = this.payList((box, stake) => this.pays(box, stake, dice), dice);
    for (const seat of this.seats.values()) this.settle(seat, (box, stake) => this.pays(box, stake, dice), { dice: [...dice], void: null });
    this.attended({ pay_list });
    this.change({ phase: 'settled' });
  }

  /** All that wins is registered: the round is settled by it. */
  private settleWinners({ dice, ...winners }: { dice: Dice; lines: PayLine[] }): void {
    this.winners = null;
    for (const seat of this.seats.values()) this.settle(seat, (box, stake) => this.pays(box, stake, dice), { dice: [...dice], void: null });
    this.attended({ registering: null, pay_list: { round: this.view.round, dice: [...dice], is_settled: true, ticked_off: [], ...winners } });
    this.change({ phase: 'settled', is_registering: false });
  }

  void(reason: VoidReason): void {
    this.winners = null;
    const pay_list = this.payList(() => 0, null);
    this.change({ phase: 'void', closes_at: null, is_registering: false, latest: { round: this.view.round, dice: null, void: reason } });
    this.attended({ pay_list, registering: null });
    for (const seat of this.seats.values()) this.settle(seat, (_, stake) => stake, { dice: null, void: reason });
  }

  /** The pay list of a live table; in a void round everything is returned. */
  private payList(pays: (box: Box, stake: number) => number, dice: Dice | null): PayList | null {
    if (this.layout.has_terminals) return null;
    const lines = [...this.seats.values()].flatMap(({ view: { seat, bets } }) =>
      bets.map(({ box, chips, amount }): PayLine => ({ seat, box, chips, stake: amount, counted: dice ? amount : 0, returned: dice ? 0 : amount, pays: pays(box, amount), is_claim: false })),
    );
    return { round: this.view.round, dice: dice && [...dice], is_settled: true, lines, ticked_off: [] };
  }

  private pays(box: Box, stake: number, dice: Dice): number {
    const view = this.layout.boxes.find((one) => one.box === box);
    const odds = view && paysFor(view, dice);
    return odds === undefined ? 0 : stake + Math.round(stake * odds);
  }

  private settle(seat: Seat, pays: (box: Box, stake: number) => number, how: Pick<LastGame, 'dice' | 'void'>): void {
    const { view } = seat;
    if (view.bets.length === 0) return;
    const isVoid = how.void !== null;
    const lines = view.bets.map(({ box, amount }) => ({ box, staked: amount, counted: amount, paid: isVoid ? 0 : pays(box, amount) }));
    const paid = lines.reduce((sum, line) => sum + line.paid, 0);
    const back = !this.layout.has_terminals ? 0 : isVoid ? view.on_layout : paid;
    const meters = { ...view.meters };
    if (isVoid) Object.assign(meters, { returned: meters.returned + view.on_layout, bet: meters.bet + view.on_layout, voids: meters.voids + 1 });
    else Object.assign(meters, { won: meters.won + paid, bet: meters.bet + view.on_layout, rounds: meters.rounds + 1 });
    seat.last = view.bets.map(({ box, amount }) => ({ box, amount }));
    const last = { round: this.view.round, ...how, lines, paid };
    seat.games = [gameOf(view, last, view.credits + back, this.now()), ...seat.games].slice(0, 20);
    this.update(seat, { credits: view.credits + back, on_layout: 0, bets: [], meters, last });
  }

  /** Sends a seat its view; the last game only when it changed. */
  update(seat: Seat, change: Partial<SeatView>, answers: unknown[] = []): void {
    seat.view = { ...seat.view, ...change, number: seat.view.number + 1 };
    const { last: _, messages: __, ...current } = seat.view;
    seat.screen?.send({ answers, seat: change.last || change.messages ? seat.view : current });
    this.attended();
  }

  /** A seat of the pay list was paid, or not after all. */
  private tickOff({ seat, is_paid }: { seat: number; is_paid: boolean }): void {
    const list = this.staff.pay_list;
    if (!list) return;
    const others = list.ticked_off.filter((one) => one.seat !== seat);
    const at_house = list.ticked_off.find((one) => one.seat === seat)?.at_house ?? 0;
    const due = list.lines.filter((line) => line.seat === seat).reduce((sum, { pays, returned }) => sum + pays + returned, 0);
    this.attended({ pay_list: { ...list, ticked_off: is_paid ? [...others, { seat, given: due - at_house, at_house }] : others } });
  }

  private register(command: WinnersCommand): unknown {
    const refused = (code: string | null) => code && { refused: { code, paragraphs: [], sentence: code } };
    const { winners } = this;
    if (typeof command === 'object' && ('register-from-film' in command || 'withdraw-from-film' in command || 'close-returns' in command)) return this.attended({ returns: filmed(this.staff.returns, command) }), { accepted: 'done' };
    if (!winners) return refused('not-thrown');
    if (command === 'all-registered') return refused(winners.lacks()) ?? (this.settleWinners({ dice: winners.dice, lines: winners.lines() }), { accepted: 'done' });
    if ('tell-total' in command) return winners.totals.set(command['tell-total'].box, command['tell-total'].amount), this.attended(), { accepted: 'done' };
    if (!('register' in command)) return refused('bad-command');
    const { seat, stakes } = command.register;
    const code = stakes.map(({ box }) => winners.refuses(box)).find((found) => found !== null);
    if (code) return refused(code);
    this.update(this.seat(seat), this.placed(this.seat(seat).view, stakes, () => ({ answer: null, change: {} })).change);
    return { accepted: 'done' };
  }

  forSeat(command: SeatCommand | { 'place-for': { seat: number; stakes: Stake[] } } | { 'place-excess': { seat: number; stakes: Stake[] } } | { 'buy-in': { seat: number; amount: number } } | { 'reverse-buy-in': { seat: number; receipt: number; why: string } } | { advise: { box: Box } } | { 'tick-off': { seat: number; is_paid: boolean } } | { 'walk-away': { seat: number } } | 'reject-excess' | WinnersCommand): unknown {
    if (isOfWinners(command)) return this.register(command);
    if (command === 'reject-excess') {
      for (const { seat, stake } of this.held().excess) this.forSeat({ withdraw: { seat, chips: 'own', stakes: [stake] } });
      return { accepted: { rejected: { cuts: [] } } };
    }
    if ('advise' in command) return { accepted: 'done' };
    if ('walk-away' in command) return this.winners?.walkedAway.add(command['walk-away'].seat), this.attended(), { accepted: 'done' };
    if ('tick-off' in command) return this.tickOff(command['tick-off']), { accepted: 'done' };
    const inner = Object.values(command)[0] as { seat: number; amount?: number; stakes?: Stake[] };
    const seat = this.seat(inner.seat);
    if ('buy-in' in command) {
      const { amount } = command['buy-in'];
      const receipt = ++this.receipts;
      this.bought.set(inner.seat, { receipt, amount, by: 21, time: this.now(), is_reversed: false });
      this.update(seat, { credits: seat.view.credits + amount, session: 9 });
      return { accepted: { 'bought-in': { receipt } } };
    }
    if ('reverse-buy-in' in command) {
      const bought = this.bought.get(inner.seat);
      if (!bought || bought.is_reversed || bought.receipt !== command['reverse-buy-in'].receipt) return { refused: { code: 'unknown-buy-in', paragraphs: [], sentence: '' } };
      this.bought.set(inner.seat, { ...bought, is_reversed: true });
      const { receipt, amount } = bought;
      const credits = seat.view.credits - amount;
      this.update(seat, { credits, messages: [...(seat.view.messages ?? []), { number: (seat.view.messages?.length ?? 0) + 1, is_read: false, credits, reversed: { receipt, amount } }] });
      return { accepted: { 'buy-in-reversed': { amount } } };
    }
    const isPlaced = 'place-for' in command || 'place-excess' in command;
    this.isExcessTaken = 'place-excess' in command || !this.refusesExcess;
    const { answer, change } = this.decide(seat, isPlaced ? { place: { seat: inner.seat, chips: 'own', stakes: inner.stakes ?? [] } } : command);
    this.update(seat, change);
    return answer;
  }

  receive(seat: Seat, commands: { sequence: number; command: SeatCommand }[]): void {
    for (const { sequence, command } of commands) {
      const known = seat.answered.get(sequence);
      const { answer, change } = known ? { answer: known, change: {} } : this.decide(seat, command);
      seat.answered.set(sequence, answer);
      const isOfMoney = OF_MONEY.some((name) => name in command);
      this.update(seat, change, isOfMoney ? [] : [{ sequence, answer }]);
      if (isOfMoney && !seat.isAnswerLost) seat.screen?.send({ answers: [{ sequence, answer: known ? { accepted: { 'on-file': { voucher: null } } } : answer }] });
    }
  }

  private decide(seat: Seat, command: SeatCommand): { answer: unknown; change: Partial<SeatView> } {
    const refused = (code: string) => {
      const [sentence, paragraphs] = SENTENCES[code] ?? [code, []];
      return { answer: { refused: { code, paragraphs, sentence } }, change: {} };
    };
    const { view } = seat;
    if ('redeem' in command) {
      if (!command.redeem.number.replace(/\D/g, '').startsWith('12')) return refused('voucher-not-on-file');
      return { answer: { accepted: null }, change: { credits: view.credits + 50_000, session: view.session ?? 8 } };
    }
    if ('insert-note' in command) return { answer: { accepted: null }, change: { credits: view.credits + command['insert-note'].amount, session: view.session ?? 8 } };
    if ('cash-out-to-voucher' in command) {
      return this.issue(view.credits, { credits: 0, session: null, bets: [] });
    }
    const money = view.money ?? NO_MONEY;
    if ('reissue-voucher' in command) {
      if (money.voucher?.serial !== command['reissue-voucher'].serial) return refused('voucher-confirmed');
      if (money.voucher.state !== 'good') return refused('voucher-paid');
      return this.issue(money.voucher.amount, {});
    }
    if ('confirm-voucher' in command) return { answer: { accepted: 'done' }, change: { money: { ...money, voucher: null } } };
    if ('take-back-claim' in command) {
      const claim = money.claims.find(({ claim }) => claim === command['take-back-claim'].claim);
      if (!claim || claim.is_taken) return refused(claim ? 'claim-taken' : 'unknown-claim');
      return { answer: { accepted: null }, change: { credits: view.credits + claim.amount, session: 10, money: { ...money, claims: money.claims.filter((one) => one !== claim) } } };
    }
    if ('read-claim' in command) return { answer: { accepted: null }, change: { money: { ...money, paid: money.paid.filter(({ claim }) => claim !== command['read-claim'].claim) } } };
    if ('cash-out' in command) {
      const claim = { claim: ++this.claims, amount: view.credits, opened: this.now(), origin: originAt(this.table, view.seat), is_taken: false, can_be_taken_back: true };
      return { answer: { accepted: null }, change: { credits: 0, session: null, money: { ...money, claims: [...money.claims, claim] } } };
    }
    if ('read' in command) {
      const messages = (view.messages ?? []).map((message) => ({ ...message, is_read: message.is_read || message.number <= command.read.message }));
      return { answer: { accepted: null }, change: { messages } };
    }
    if (this.view.phase !== 'open' && !this.winners) return refused(this.view.phase === 'idle' || this.view.phase === 'settled' ? 'no-round-open' : 'bets-closed');
    if (view.is_locked) return refused('seat-locked');
    const own = view.bets.map(({ box, amount }) => ({ box, amount }));
    if ('place' in command) return this.placed(view, command.place.stakes, refused);
    if ('double' in command) return this.placed(view, own, refused);
    if ('repeat' in command) return seat.last.length === 0 ? refused('nothing-to-repeat') : this.placed(view, seat.last, refused);
    if ('clear' in command) return this.placed(view, own.map(({ box, amount }) => ({ box, amount: -amount })), refused);
    return this.placed(view, command.withdraw.stakes.map(({ box, amount }) => ({ box, amount: -amount })), refused);
  }

  /** A voucher of a seat, each time under another number. */
  private issue(amount: number, change: Partial<SeatView>): { answer: unknown; change: Partial<SeatView> } {
    const issued = voucher(amount, this.now(), ++this.vouchers, this.view.is_game_approved);
    const { serial, validation } = issued.voucher.voucher;
    const on = { serial, amount, last_digits: Number(validation.slice(-4)), issued: this.now(), expires: this.now() + 86_400_000, session: 7, state: 'good' as const };
    return { answer: { accepted: issued }, change: { ...change, money: { ...NO_MONEY, voucher: on } } };
  }

  private room(box: Box): number {
    return roomOf(new Map(this.held().totals.map(({ box, amount }) => [box, amount])), this.view.limits, box);
  }

  private placed(view: SeatView, stakes: Stake[], refused: (code: string) => { answer: unknown; change: Partial<SeatView> }) {
    const boxes = new Map(view.bets.map(({ box, amount }) => [box, amount]));
    for (const { box, amount } of stakes) {
      const after = (boxes.get(box) ?? 0) + amount;
      const { min, max } = limitOf(this.view.limits, box);
      if (after < 0) return refused('no-such-bet');
      // At a live table limits are per box; excess is shown unless the profile refuses it (5.1).
      if (this.layout.has_terminals && after > 0 && after < (min ?? 0)) return refused('below-minimum');
      if (this.layout.has_terminals && after > (max ?? Infinity)) return refused('over-limit');
      if (!this.isExcessTaken && amount > this.room(box)) return refused('over-differential');
      boxes.set(box, after);
    }
    const total = stakes.reduce((sum, { amount }) => sum + amount, 0);
    // At a live table players bet with chips that they hold.
    const { has_terminals } = this.layout;
    if (has_terminals && total > view.credits) return refused('not-enough-credits');
    const bets = [...boxes].filter(([, amount]) => amount > 0).map(([box, amount]) => ({ chips: 'own' as const, box, amount }));
    return { answer: { accepted: null }, change: { credits: view.credits - (has_terminals ? total : 0), on_layout: view.on_layout + total, bets } };
  }
}

export function voucher(amount: number, now: number, serial = 1, isGameApproved = true) {
  const bars = Array.from({ length: 60 }, (_, at) => `<rect x="${at * 4}" width="${1 + ((at * 7) % 3)}" height="40"/>`).join('');
  const at = new Date(now).toISOString();
  const drawn = {
    property: 'Stand-in House', issued_at: 'Table 1, terminal 3', date: at.slice(0, 10), time: at.slice(11, 19), good_until: '2030-01-01 00:00',
    amount, figures: `$${(amount / 100).toFixed(2)}`, sequence: String(serial), serial, validation: `12 3456 7890 1234 ${5677 + serial}`, is_training: true, is_game_approved: isGameApproved,
    words: { english: 'One thousand dollars', simplified: '壹仟元整', traditional: '壹仟元整' },
    barcode: `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 240 40">${bars}</svg>`,
  };
  return { voucher: { voucher: drawn, page: `<!doctype html><title>Voucher</title><h1>Stand-in House</h1><p>${drawn.figures}</p>` } };
}
