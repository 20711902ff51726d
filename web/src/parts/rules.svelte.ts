// The approved rules on this screen: whose are open, and at which paragraph. Each screen shows them once, above all else.

class OpenRules {
  at = $state.raw<{ of: string | number; paragraph: string | null } | null>(null);

  /** Opens the rules of a game, or of the game that a table plays. */
  open(of: string | number, paragraph: string | null = null): void {
    this.at = { of, paragraph };
  }

  close(): void {
    this.at = null;
  }
}

export const rules = new OpenRules();
