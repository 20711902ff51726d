// The receipt of a buy-in, as it is printed.

import { expect, it } from 'vitest';
import { receiptNumber, receiptPage } from '../../src/state/receipt';

it('has the number that the cluster gave, with table and cluster', () => expect(receiptNumber(4, 1, { receipt: 17, amount: 500, by: 8, time: 0, is_reversed: false })).toBe('4-1-17'));

it('prints text as text', () => {
  const page = receiptPage('Receipt 1-0-1', ['<b>5.00</b> & "cash"']);
  expect(page).toContain('<h1>Receipt 1-0-1</h1><p>&#60;b&#62;5.00&#60;/b&#62; &#38; &#34;cash&#34;</p>');
});
