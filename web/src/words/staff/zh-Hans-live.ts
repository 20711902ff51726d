// 控制台关于投注、骰子与作废的用语：简体中文。

import type { live as english } from './en-live';

export const live: typeof english = {
  room: (amount) => `尚可投注${amount}`,
  below: '低于下限',
  belowOf: (total, minimum) => `${total}，下限${minimum}`,
  mayIncrease: '“停止下注”前可加注或撤回。',
  withdrawOnly: '该格不能再加注：只可撤回。',
  advised: '已告知',
  adviceRecorded: '告知已记录',
  withdraws: (seat, amount) => `${seat}号座位撤回${amount}`,
  refusedChips: '未获接受。筹码仍在台面上吗？',
  roomOn: (box, amount) => `${box}：尚可投注${amount}`,
  givenBack: '已退还',
  liesThere: '仍在台面',
  liesThereHint: '按台面登记，按比例计算',
  withdrawAll: '撤回全部投注',

  covered: '现已盖',
  notCovered: '现未盖',
  coverDice: '盖上骰子',
  uncoverDice: '揭开骰盖',
  uncoverVoids: (round) => `下注期间骰子已摇动：此时揭盖即外露。第${round}局作废，所有投注全额退还。`,
  uncoverAndVoid: (round) => `揭盖并作废第${round}局`,

  announce: '请宣布',
  announceVoid: (round, why) => `“第${round}局作废：${why}本局所有投注全额退还。”`,
  announceVoids: (from, to, why) => `“第${from}至${to}局作废：${why}这些局的所有投注全额退还。”`,
  announced: '已宣布',

  enterRest: (faces) => `已知：${faces}。请输入全部三颗；其余无法辨认时，由裁定决定`,
  knownCorrect: '已知的骰子报错',
  knownCorrectMore: '该局按更正后的点数结束。最初报告的点数保留在记录中。',
  flatAfterKnown: '已知的骰子具有约束力。尚未知且未平放的骰子，由场区裁定。',

  damagedSets: '发现损坏',
  inspected: (set) => `骰子组${set}已检查：可再使用`,
  tumbler: (device) => `摇骰器（现用${device}）`,
  useTumbler: '使用此摇骰器',
};
