// How wide the margin of a felt's picture is, in parts of the picture: with its rail, and without.

export const RAIL = 26;
export const BARE = 8;
