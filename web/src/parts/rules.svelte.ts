// The approved rules on this screen: whose are open, and at which paragraph. Each screen shows them once, above all else.

import { told } from '../protocol/house';
import type { LayoutView } from '../protocol/messages';

class OpenRules {
  at = $state.raw<{ game: string; paragraph: string | null } | null>(null);

  open(game: string, paragraph: string | null = null): void {
    this.at = { game, paragraph };
  }

  /** Opens the rules that a table is played by. */
  async openOf(table: number, paragraph: string): Promise<void> {
    const { game } = await told<LayoutView>(`tables/${table}/layout`);
    this.open(game, paragraph);
  }

  close(): void {
    this.at = null;
  }
}

export const rules = new OpenRules();
