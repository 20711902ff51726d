// The server's time as the screen shows it, updated four times a second.

import { Clock } from '../state/clock';

const TICK_MS = 250;

export class Now {
  readonly clock = new Clock();
  time = $state(this.clock.time());

  constructor() {
    setInterval(() => (this.time = this.clock.time()), TICK_MS);
  }

  sync(time: number): void {
    this.clock.sync(time);
    this.time = this.clock.time();
  }
}
