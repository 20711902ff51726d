// Chips on their way back to the player.

import type { Box, Cents } from '../protocol/messages';

export interface FlownBack {
  id: number;
  box: Box;
  amount: Cents;
}
