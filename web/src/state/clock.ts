// The server's time: its last value plus the time since. The browser's wall clock is not used, so changing it has no effect.

export class Clock {
  #offset = 0;

  constructor(private readonly now: () => number = () => performance.now()) {}

  sync(time: number): void {
    this.#offset = time - this.now();
  }

  time(): number {
    return this.now() + this.#offset;
  }
}

const zones = new Map<string, Intl.DateTimeFormat>();

/** Hours and minutes in the casino's time zone. */
export function timeOfDay(time: number, zone: string): string {
  const form = zones.get(zone) ?? new Intl.DateTimeFormat('en-GB', { timeZone: zone, hour: '2-digit', minute: '2-digit' });
  zones.set(zone, form);
  return form.format(time);
}

/** Day, hours and minutes in the casino's time zone. */
export function dayAndTime(time: number, zone: string): string {
  const day = new Intl.DateTimeFormat('en-CA', { timeZone: zone }).format(time);
  return `${day} ${timeOfDay(time, zone)}`;
}

/** A length of time as `h:mm`. */
export function length(milliseconds: number): string {
  const minutes = Math.max(0, Math.floor(milliseconds / 60_000));
  return `${Math.floor(minutes / 60)}:${String(minutes % 60).padStart(2, '0')}`;
}

/** Whole seconds left, rounded up, not below zero. */
export function secondsLeft(closesAt: number | null | undefined, time: number): number | null {
  return closesAt === null || closesAt === undefined ? null : Math.max(0, Math.ceil((closesAt - time) / 1_000));
}
