// How a screen proves which device it is: an Ed25519 key that never leaves the browser signs the server's challenge.

import { fromHex, toHex } from './hex';
import type { Enrolled } from './messages';

/** The private key can be used but not exported. */
export interface Device {
  device: number;
  house: string;
  /** The table that it stands at. */
  table: number;
  key: CryptoKey;
}

const PURPOSE = new TextEncoder().encode('taisai device\0');

/** The signed bytes: purpose, casino id, device number and challenge. */
export function content(house: string, device: number, challenge: string): Uint8Array<ArrayBuffer> {
  const number = new Uint8Array(4);
  new DataView(number.buffer).setUint32(0, device, true);
  const parts = [PURPOSE, fromHex(house), number, fromHex(challenge)];
  const signed = new Uint8Array(parts.reduce((length, part) => length + part.length, 0));
  let at = 0;
  for (const part of parts) {
    signed.set(part, at);
    at += part.length;
  }
  return signed;
}

/** The answer to a challenge. */
export async function prove({ device, house, key }: Omit<Device, 'table'>, challenge: string): Promise<string> {
  const signature = await crypto.subtle.sign('Ed25519', key, content(house, device, challenge));
  return JSON.stringify({ device, signature: toHex(new Uint8Array(signature)) });
}

/** Enrols this browser as the Player Terminal that the code was given for. */
export async function enrol(code: string, ask: typeof fetch = fetch): Promise<Device> {
  // A browser gives no key to a page that others on the way could have changed.
  if (!globalThis.crypto.subtle) throw new NotEnrolled('not-secure', '');
  const keys = await newKeys();
  const public_key = toHex(new Uint8Array(await crypto.subtle.exportKey('raw', keys.publicKey)));
  const answer = await ask('/api/v1/devices/enrol', {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ code, public_key }),
  });
  const body = await answer.json();
  if (!answer.ok) throw new NotEnrolled(body?.refused?.code ?? 'internal', body?.refused?.sentence ?? '');
  const { device, house, kind } = body as Enrolled;
  if (typeof kind === 'string' || !('terminal' in kind)) throw new NotEnrolled('not-a-terminal', '');
  return { device, house, table: kind.terminal.cluster.table, key: keys.privateKey };
}

async function newKeys(): Promise<CryptoKeyPair> {
  try {
    return (await crypto.subtle.generateKey({ name: 'Ed25519' }, false, ['sign', 'verify'])) as CryptoKeyPair;
  } catch {
    throw new NotEnrolled('no-key', '');
  }
}

/** Why a device was not enrolled. */
export class NotEnrolled extends Error {
  constructor(
    readonly code: string,
    sentence: string,
  ) {
    super(sentence);
  }
}
