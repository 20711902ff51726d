// What a staff screen offers to which roles of the default profile. The server decides what is allowed.

import type { Me, Role } from '../protocol/messages';

const FLOOR: readonly Role[] = ['pit-supervisor', 'pit-manager', 'shift-manager', 'casino-manager'];

/** Who may open the screens that follow the House. */
const SEES: Record<'pit' | 'cage' | 'audit', readonly Role[]> = {
  pit: [...FLOOR, 'administrator', 'auditor'],
  cage: ['cashier', 'attendant', 'shift-manager', 'casino-manager', 'auditor'],
  audit: ['auditor', 'shift-manager', 'casino-manager'],
};

type Holder = Pick<Me, 'roles'>;

const isOne = ({ roles }: Holder, of: readonly Role[]) => roles.some((role) => of.includes(role));

export const sees = (me: Holder, screen: keyof typeof SEES) => isOne(me, SEES[screen]);
/** Whether a person sees requests for approval, and so can apply approved ones. */
export const followsHouse = (me: Holder) => sees(me, 'pit') || sees(me, 'cage');
export const runsTable = (me: Holder) => isOne(me, FLOOR);
export const approves = (me: Holder) => isOne(me, FLOOR);
export const rules = (me: Holder) => isOne(me, ['shift-manager', 'casino-manager']);
export const readsReports = (me: Holder) => isOne(me, [...FLOOR, 'auditor']);
export const managesHouse = (me: Holder) => isOne(me, ['administrator']);
export const clearsLocks = (me: Holder) => isOne(me, ['attendant', 'pit-supervisor', 'pit-manager']);
export const takesCash = (me: Holder) => isOne(me, ['dealer', 'pit-supervisor', 'cashier', 'attendant']);
export const isCashier = (me: Holder) => isOne(me, ['cashier']);
export const reissues = (me: Holder) => isOne(me, ['cashier', 'attendant', 'pit-supervisor', 'pit-manager']);
export const paysByHand = (me: Holder) => isOne(me, ['cashier', 'attendant']);

export const ROLES: readonly Role[] = ['dealer', 'pit-supervisor', 'pit-manager', 'shift-manager', 'casino-manager', 'attendant', 'cashier', 'auditor', 'administrator'];
