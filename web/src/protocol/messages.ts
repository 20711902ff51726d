// Names for the messages between screens and server, from the server's OpenAPI description.

import type { components } from '../api';

type Schemas = components['schemas'];

export type Cents = number;
export type Box = Schemas['BetBox'];
export type BoxKey = Schemas['BoxKey'];
export type Phase = Schemas['Phase'];
export type VoidReason = Schemas['VoidReason'];
export type Dice = readonly number[];
export type ResultView = Schemas['ResultView'];
export type PublicView = Schemas['PublicView'];
export type PublicChange = Schemas['PublicChange'];
export type SeatView = Schemas['SeatView'];
export type SeatChange = Schemas['SeatChange'];
export type LastGame = Schemas['LastGame'];
export type GameLine = Schemas['GameLine'];
export type LineView = Schemas['LineView'];
export type Stake = Schemas['Stake'];
export type TableLimits = Schemas['TableLimits'];
export type Snapshot = Omit<Schemas['Snapshot'], 'staff'> & { staff?: StaffView | null };
export type TableMessage = Schemas['TableMessage'];
export type Answered = Schemas['Answered'];
/** A reply to a command. The table is the one that refused, whose rules are cited. */
export type CommandReply = { accepted: unknown } | { refused: Refused; table?: number };
export type Refused = Omit<Schemas['Refused'], 'code'> & { code: string; detail?: unknown };
export type Enrolled = Schemas['Enrolled'];
export type HouseView = Schemas['HouseView'];
export type TableView = Schemas['TableView'];
export type AreaView = Schemas['AreaView'];
export type CaptionView = Schemas['CaptionView'];
export type RulesView = Schemas['RulesView'];
export type TextView = Schemas['TextView'];
export type PassageView = Schemas['PassageView'];

export type BetView = Schemas['BetView'];

export type SeatHealth = Schemas['SeatHealth'];

export type PayLine = Schemas['PayLine'];
export type PayList = Schemas['PayList'];
/** Winners being registered, and a box of them. */
export type RegisteringView = Schemas['RegisteringView'];
export type RegisteringBox = Schemas['RegisteringBox'];

export type StaffView = Schemas['StaffView'];
export type StaffChange = Schemas['StaffChange'];
export type Me = Schemas['Me'];
export type Role = Schemas['Role'];
export type RoundCommand = Schemas['RoundCommand'];
export type ClusterCommand = Schemas['ClusterCommand'];
export type HouseCommand = Schemas['HouseCommand'] | Schemas['HouseVoucherAct'];
export type HouseConfiguration = Schemas['HouseConfiguration'];
export type HouseParts = Schemas['HouseParts'];
export type ApprovalOnFile = Schemas['ApprovalOnFile'];
export type ClaimOnFile = Schemas['ClaimOnFile'];
export type ReceivableOnFile = Schemas['ReceivableOnFile'];
export type VoucherOnFile = Schemas['VoucherOnFile'];
export type DeviceOnFile = Schemas['DeviceOnFile'];
export type EmployeeOnFile = Schemas['EmployeeOnFile'];
export type SignificantOnFile = Schemas['SignificantOnFile'];
export type OverDifferential = Schemas['OverDifferential'];
export type Redeemer = Schemas['Redeemer'];
export type ResultLine = Schemas['ResultLine'];
export type MeterLine = Schemas['MeterLine'];
export type AllDice = Schemas['AllDice'];
export type EventLine = Schemas['EventLine'];
export type RoundLine = Schemas['RoundLine'];

/** A round from the record. Each act is a block number and its entry. */
export type RoundSheet = Omit<Schemas['RoundSheet'], 'acts' | 'past' | 'unwitnessed'> & {
  unwitnessed?: Schemas['Unwitnessed'] | null;
  acts: [number, RoundEntry][];
  past?: { dice: number[] | null; first_dice?: number[] | null; void: VoidReason | null; dice_set: number; tumbler: number; dealer?: number | null } | null;
};
export interface RoundEntry {
  asked: { time: number; actor: Schemas['Actor']; command: RoundCommand };
  outcome: { Ok: unknown } | { Err: string };
}

export type Movement = Schemas['Movement'];
export type SheetLine = Schemas['SheetLine'];
export type Verification = Schemas['Verification'];
export type Standing = Schemas['Standing'];
export type Lag = Schemas['LagSheet'];
export type Act = Schemas['Act'];

export type Language = 'en' | 'zh-Hans' | 'zh-Hant';
export type InLanguages = Record<Language, string>;

export type BoxView = Omit<Schemas['BoxView'], 'range'> & { range?: [number, number] | null };

export type LayoutView = Omit<Schemas['LayoutView'], 'boxes' | 'chinese'> & { boxes: BoxView[]; chinese: 'zh-Hans' | 'zh-Hant' };

/** The commands of a terminal at its own seat. */
export type SeatCommand =
  | { place: { seat: number; chips: 'own'; stakes: Stake[] } }
  | { withdraw: { seat: number; chips: 'own'; stakes: Stake[] } }
  | { clear: { seat: number } }
  | { repeat: { seat: number } }
  | { double: { seat: number } }
  | { read: { seat: number; message: number } }
  | { 'cash-out': { seat: number; to: 'hand-pay' } }
  | { 'cash-out-to-voucher': Record<string, never> }
  | { redeem: { number: string } }
  | { 'confirm-voucher': { serial: number } }
  | { 'reissue-voucher': { serial: number } }
  | { 'take-back-claim': { claim: number } }
  | { 'read-claim': { claim: number } }
  | { 'insert-note': { amount: Cents } };

/** The voucher of a cash-out, in the answer to it and nowhere else (F42). */
export interface Voucher {
  property: string;
  issued_at: string;
  date: string;
  time: string;
  good_until: string;
  amount: Cents;
  figures: string;
  words: { english: string; simplified: string; traditional: string };
  sequence: string;
  serial: number;
  validation: string;
  barcode: string;
  is_training: boolean;
  /** Whether every table of the casino plays an approved game. */
  is_game_approved: boolean;
  /** The same as a page to be printed. */
  page: string;
}
