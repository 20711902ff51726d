// Staff at screens of a mock server with some play.

import type { Page } from 'playwright-core';
import type { MockHouse } from '../../mock/house';
import { Fixture } from './fixture';
import type { Stage } from './stage';

/** What each table has won, in whole amounts. */
const WINS = [412, 830, -310, 655, 1_240, 205, 980, 377, -120, 1_510];

export class StaffStage extends Fixture {
  constructor() {
    super(({ house }) => play(house));
  }

  open(...how: Parameters<Stage['staff']>): Promise<Page> {
    return this.stage.staff(...how);
  }
}

/** Tables with some play, and seats that need an attendant. */
function play(house: MockHouse): void {
  house.tables.forEach((table, at) => {
    const bet = 1_912_500 + at * 12_300;
    table.keep({ bought_in: 410_000 + at * 5_000, bet, won: bet - 42_500 - WINS[at]! * 100, returned: 42_500, rounds: 310 + at });
    for (const seat of [1, 2, 3, 5, 6].slice(0, 5 - (at % 4))) table.sit(seat, { send: () => {} });
  });
  house.table(1).seat(3).view.is_locked = true;
  house.table(3).seat(8);
}

export const tab = (page: Page, at: number) => page.getByRole('navigation').first().getByRole('button').nth(at).click();
