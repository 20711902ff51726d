// The house's time as the screen shows it, four times a second.

import { Clock } from '../state/clock';

const OFTEN = 250;

export class Now {
  readonly clock = new Clock();
  time = $state(this.clock.time());

  constructor() {
    setInterval(() => (this.time = this.clock.time()), OFTEN);
  }

  told(time: number): void {
    this.clock.told(time);
    this.time = this.clock.time();
  }
}
