
export function toHex(bytes: Uint8Array): string {
  return Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join('');
}

export function fromHex(digits: string): Uint8Array<ArrayBuffer> {
  if (digits.length % 2 !== 0 || !/^[0-9a-f]*$/i.test(digits)) throw new Error('not hexadecimal digits');
  return Uint8Array.from({ length: digits.length / 2 }, (_, at) => parseInt(digits.slice(2 * at, 2 * at + 2), 16));
}
