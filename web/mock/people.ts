// The people of the mock server, and the approved acts of an Administrator on them.

import type { EmployeeOnFile, HouseCommand, Role } from '../src/protocol/messages';

export const PEOPLE: { person: number; name: string; roles: Role[]; isFirst?: boolean }[] = [
  { person: 21, name: 'Tan Mei Lin', roles: ['dealer'] },
  { person: 22, name: 'Ravi Kumar', roles: ['dealer'] },
  { person: 3, name: 'Lim Boon Keng', roles: ['pit-supervisor'] },
  { person: 5, name: 'Sarah Chua', roles: ['shift-manager'] },
  { person: 8, name: 'Noraini Ahmad', roles: ['cashier', 'attendant'] },
  { person: 9, name: 'Wong Kah Wai', roles: ['auditor'] },
  { person: 10, name: 'Deepa Nair', roles: ['administrator'], isFirst: true },
  { person: 11, name: 'Ong Siew Hoon', roles: ['administrator'] },
];

export const onFile = (): EmployeeOnFile[] =>
  [...PEOPLE].sort((one, other) => one.person - other.person).map(({ person, name, roles }) => ({ id: person, name, roles, failed: person === 22 ? 5 : 0, is_locked: person === 22, is_suspended: false }));

/** The people after a command about one of them; nothing where it is about something else. */
export function changed(people: EmployeeOnFile[], command: HouseCommand): EmployeeOnFile[] | null {
  if (typeof command === 'string') return null;
  const of = (person: number, change: Partial<EmployeeOnFile>) => people.map((one) => (one.id === person ? { ...one, ...change } : one));
  if ('add-person' in command) {
    const { person, name, roles } = command['add-person'];
    return [...people, { id: person, name, roles, failed: 0, is_locked: false, is_suspended: false }].sort((one, other) => one.id - other.id);
  }
  if ('set-roles' in command) return of(command['set-roles'].person, { roles: command['set-roles'].roles });
  if ('suspend' in command) return of(command.suspend.person, { is_suspended: true });
  if ('reinstate' in command) return of(command.reinstate.person, { is_suspended: false });
  if ('unlock' in command) return of(command.unlock.person, { is_locked: false, failed: 0 });
  return null;
}
