// 控制台關於投注、骰子與作廢的用語：繁體中文。

import type { live as english } from './en-live';

export const live: typeof english = {
  room: (amount) => `尚可投注${amount}`,
  below: '低於下限',
  belowOf: (total, minimum) => `${total}，下限${minimum}`,
  mayIncrease: '「停止下注」前可加注或撤回。',
  withdrawOnly: '該格不能再加注：只可撤回。',
  advised: '已告知',
  adviceRecorded: '告知已記錄',
  withdraws: (seat, amount) => `${seat}號座位撤回${amount}`,
  refusedChips: '未獲接受。籌碼仍在檯面上嗎？',
  roomOn: (box, amount) => `${box}：尚可投注${amount}`,
  givenBack: '已退還',
  liesThere: '仍在檯面',
  liesThereHint: '按檯面登記，按比例計算',
  withdrawAll: '撤回全部投注',

  covered: '現已蓋',
  notCovered: '現未蓋',
  coverDice: '蓋上骰子',
  uncoverDice: '揭開骰蓋',
  uncoverVoids: (round) => `下注期間骰子已搖動：此時揭蓋即外露。第${round}局作廢，所有投注全額退還。`,
  uncoverAndVoid: (round) => `揭蓋並作廢第${round}局`,

  announce: '請宣佈',
  announceVoid: (round, why) => `「第${round}局作廢：${why}本局所有投注全額退還。」`,
  announceVoids: (from, to, why) => `「第${from}至${to}局作廢：${why}這些局的所有投注全額退還。」`,
  announced: '已宣佈',

  enterRest: (faces) => `已知：${faces}。請輸入全部三顆；其餘無法辨認時，由裁定決定`,
  knownCorrect: '已知的骰子報錯',
  knownCorrectMore: '該局按更正後的點數結束。最初報告的點數保留在記錄中。',
  flatAfterKnown: '已知的骰子具有約束力。尚未知且未平放的骰子，由場區裁定。',

  damagedSets: '發現損壞',
  inspected: (set) => `骰子組${set}已檢查：可再使用`,
  tumbler: (device) => `搖骰器（現用${device}）`,
  useTumbler: '使用此搖骰器',
};
