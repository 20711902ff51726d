// What is said of a table or a casino that does not play for real, or not by the approved game. On screens and on paper.

/** A table, the casino, or what is printed of them. */
export interface Marked {
  is_training: boolean;
  is_game_approved: boolean;
}

/** The marks, the weightier last. Without the server's word there are none. */
export function marksOf(of: Marked | null | undefined, words: { training: string; notApproved: string }): string[] {
  return [of?.is_training && words.training, of && !of.is_game_approved && words.notApproved].filter((mark) => typeof mark === 'string');
}
