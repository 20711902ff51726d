// What is said of play that is not real, or by a game that is not the approved one.

import { expect, it } from 'vitest';
import { marksOf } from '../../src/state/marks';
import { words } from '../../src/words/en';

it.each([
  [null, []],
  [{ is_training: false, is_game_approved: true }, []],
  [{ is_training: true, is_game_approved: true }, ['Training – play money']],
  [{ is_training: false, is_game_approved: false }, ['Game NOT APPROVED']],
  [{ is_training: true, is_game_approved: false }, ['Training – play money', 'Game NOT APPROVED']],
])('%j', (of, marks) => expect(marksOf(of, words)).toEqual(marks));
