// A box by its label where it does not stand on its felt: a bare number is told as the sum that it is.

export const boxName = (label: string, kinds: Record<string, string>) => (/^\d+$/.test(label) ? `${kinds['sum']} ${label}` : label);
