// Which alerts were taken note of at this screen: all up to a number, and some above it.

export interface Noted {
  upTo: number;
  seen: ReadonlySet<number>;
}

const KEPT = 'taisai.noted';

export function keptNoted(): Noted {
  const { upTo = 0, seen = [] } = JSON.parse(localStorage.getItem(KEPT) ?? '{}') as { upTo?: number; seen?: number[] };
  return { upTo, seen: new Set(seen) };
}

export function keepNoted(noted: Noted): Noted {
  localStorage.setItem(KEPT, JSON.stringify({ upTo: noted.upTo, seen: [...noted.seen] }));
  return noted;
}
