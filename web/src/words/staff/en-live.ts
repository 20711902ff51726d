// What the console says of bets, dice and voids at the table, in English.

export const live = {
  room: (amount: string) => `room ${amount}`,
  below: 'Below the minimum',
  belowOf: (total: string, minimum: string) => `${total}, minimum ${minimum}`,
  mayIncrease: 'May increase or withdraw until “No more bets”.',
  withdrawOnly: 'The box takes no more: may only withdraw.',
  advised: 'Advised',
  adviceRecorded: 'Advice recorded',
  withdraws: (seat: number, amount: string) => `Seat ${seat} withdraws ${amount}`,
  refusedChips: 'Refused. Do the chips still lie there?',
  roomOn: (box: string, amount: string) => `${box}: room for ${amount}`,
  givenBack: 'Given back',
  liesThere: 'Lies there',
  liesThereHint: 'Registered as it lies; counted pro rata',
  withdrawAll: 'Withdraw all bets',

  covered: 'Now covered',
  notCovered: 'Now not covered',
  coverDice: 'Cover the dice',
  uncoverDice: 'Uncover the dice',
  uncoverVoids: (round: number) => `Bets are open and the dice were tumbled: uncovering exposes them. Round ${round} becomes void and every bet is returned in full.`,
  uncoverAndVoid: (round: number) => `Uncover and void round ${round}`,

  announce: 'Say aloud',
  announceVoid: (round: number, why: string) => `“Round ${round} is void: ${why} All bets of this round are returned in full.”`,
  announceVoids: (from: number, to: number, why: string) => `“Rounds ${from} to ${to} are void: ${why} All bets of these rounds are returned in full.”`,
  announced: 'Announced',

  enterRest: (faces: string) => `Known: ${faces}. Enter all three; if the rest cannot be read, a ruling decides`,
  knownCorrect: 'A known die was reported wrongly',
  knownCorrectMore: 'The round is concluded with the corrected faces. The faces first reported stay on record.',
  flatAfterKnown: 'What is known binds. A die that is not known yet and does not lie flat is for a ruling, at the pit.',

  damagedSets: 'Found damaged',
  inspected: (set: number) => `Dice set ${set} inspected: use it again`,
  tumbler: (device: number) => `Tumbler (now ${device})`,
  useTumbler: 'Use this tumbler',
};
