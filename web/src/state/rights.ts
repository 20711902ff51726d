// Who is offered what at a staff screen, by the roles of the house's usual profile. It only offers: the house decides.

import type { Me, Role } from '../protocol/messages';

const FLOOR: readonly Role[] = ['pit-supervisor', 'pit-manager', 'shift-manager', 'casino-manager'];

/** The screens that follow the whole house, and who may. */
const SEES: Record<'pit' | 'cage' | 'audit', readonly Role[]> = {
  pit: [...FLOOR, 'administrator', 'auditor'],
  cage: ['cashier', 'attendant', 'shift-manager', 'casino-manager', 'auditor'],
  audit: ['auditor', 'shift-manager', 'casino-manager'],
};

type Holder = Pick<Me, 'roles'>;

const isOne = ({ roles }: Holder, of: readonly Role[]) => roles.some((role) => of.includes(role));

export const sees = (me: Holder, screen: keyof typeof SEES) => isOne(me, SEES[screen]);
/** Whether somebody sees what waits for a second person, and can so carry out what was approved. */
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

/** Every role, in the order of the house. */
export const ROLES: readonly Role[] = ['dealer', 'pit-supervisor', 'pit-manager', 'shift-manager', 'casino-manager', 'attendant', 'cashier', 'auditor', 'administrator'];
