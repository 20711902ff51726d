import { describe, expect, it } from 'vitest';
import { content, enrol, NotEnrolled, prove } from '../../src/protocol/device';
import { fromHex, toHex } from '../../src/protocol/hex';

const HOUSE = '000102030405060708090a0b0c0d0e0f';
const CHALLENGE = 'ff'.repeat(32);

describe('a device', () => {
  it('signs its purpose, the casino id, its number and the challenge, in that order', () => {
    const signed = toHex(content(HOUSE, 0x01020304, CHALLENGE));
    expect(signed).toBe(`${toHex(new TextEncoder().encode('taisai device\0'))}${HOUSE}04030201${CHALLENGE}`);
    expect(content(HOUSE, 7, CHALLENGE)).toHaveLength(14 + 16 + 4 + 32);
  });

  it('keeps a key that cannot be read out, and its signature holds', async () => {
    let publicKey = '';
    const ask = (async (_: unknown, { body }: { body: string }) => {
      publicKey = JSON.parse(body).public_key;
      return new Response(JSON.stringify({ device: 7, house: HOUSE, source: 40, kind: { terminal: { cluster: { table: 5, number: 0 }, seat: 2 } } }));
    }) as unknown as typeof fetch;
    const device = await enrol('CODE', ask);
    expect(device.table).toBe(5);
    expect(device.key.extractable).toBe(false);
    const answer = JSON.parse(await prove(device, CHALLENGE));
    const key = await crypto.subtle.importKey('raw', fromHex(publicKey), 'Ed25519', true, ['verify']);
    expect(answer.device).toBe(7);
    expect(answer.signature).toHaveLength(128);
    expect(await crypto.subtle.verify('Ed25519', key, fromHex(answer.signature), content(HOUSE, 7, CHALLENGE))).toBe(true);
  });

  it('gives the reason why it was not enrolled', async () => {
    const refused = { refused: { code: 'bad-code', sentence: 'The code is wrong, used or too old.' } };
    const ask = (async () => new Response(JSON.stringify(refused), { status: 403 })) as typeof fetch;
    await expect(enrol('NO', ask)).rejects.toThrow(NotEnrolled);
  });

  it('is no terminal where the code was given for something else', async () => {
    const ask = (async () => new Response(JSON.stringify({ device: 7, house: HOUSE, source: 40, kind: 'tumbler' }))) as typeof fetch;
    await expect(enrol('CODE', ask)).rejects.toMatchObject({ code: 'not-a-terminal' });
  });

  it('reads only hexadecimal digits', () => {
    expect(() => fromHex('0g')).toThrow();
    expect(() => fromHex('abc')).toThrow();
  });
});
