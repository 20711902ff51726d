declare module 'fontverter' {
  export function convert(font: Buffer, to: 'sfnt'): Promise<Buffer>;
}

declare module '*/scripts/fonts.js' {
  export function lettersInUse(name: string): string;
}
