// Short sounds, made here and silent unless the player wants them.

type Note = readonly [hertz: number, at: number, lasts: number];

const SOUNDS = {
  chip: [[1_900, 0, 0.03]],
  back: [[420, 0, 0.08], [320, 0.09, 0.1]],
  close: [[660, 0, 0.12], [660, 0.18, 0.12]],
  won: [[523, 0, 0.12], [659, 0.12, 0.12], [784, 0.24, 0.22]],
} satisfies Record<string, readonly Note[]>;

let context: AudioContext | null = null;

export function sound(name: keyof typeof SOUNDS): void {
  context ??= new AudioContext();
  for (const [hertz, at, lasts] of SOUNDS[name]) {
    const [tone, loudness] = [context.createOscillator(), context.createGain()];
    const begins = context.currentTime + at;
    tone.frequency.value = hertz;
    loudness.gain.setValueAtTime(0.12, begins);
    loudness.gain.exponentialRampToValueAtTime(0.001, begins + lasts);
    tone.connect(loudness).connect(context.destination);
    tone.start(begins);
    tone.stop(begins + lasts);
  }
}
