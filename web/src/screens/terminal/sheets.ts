// The sheets that a terminal can lay over its table.

export type SheetName = 'help' | 'money' | 'games' | 'favourites' | 'roads' | 'limits';
