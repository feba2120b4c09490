import assert from 'node:assert/strict';
import { holder } from '../../../src/core/key-search.ts';
import { ordersBetween } from '../../../src/stores/elasticsearch/search/order-expression.ts';

const ORDERS = [
  ...['0000000001/a', '0000000001/a%20b', '0000000001/aa', '0000000001/ab.c', '0000000001/abc', '0000000001/b'],
  ...['0000000001/~', '0000000001/~~', '0000000001http://x.example/a&b', '0000000001/records/00100/00100.xml'],
  ...['0000000001/records/00100/00101.xml', '0000000001/records/0010', '0000000001/records/00200', '0000000001/!'],
];

/** An expression of Lucene as two of JavaScript: it has no intersection. */
function matcher(expression: string): (order: string) => boolean {
  const parts = expression.split(/(?<!\\)&/).map((part) => new RegExp(`^(?:${part})$`));
  return (order) => parts.every((part) => part.test(order));
}

describe('the expression for a range of orders', () => {
  it('takes the orders up to the upper end, and from the lower end on where that is short', () => {
    for (const above of [...ORDERS, '0000000001']) {
      for (const through of [...ORDERS, '0000000001\u007f']) {
        if (above >= through) continue;
        const matches = matcher(ordersBetween(above, through, ''));
        for (const order of ORDERS) {
          if (order > above && order <= through) assert.ok(matches(order), `${above} < ${order} <= ${through}`);
          if (order > through) assert.ok(!matches(order), `${order} > ${through}`);
        }
      }
    }
  });

  it('begins no range of characters with an escaped one, which Elasticsearch 9 would take for that one alone', () => {
    const ends = Array.from({ length: 95 }, (_, at) => `0000000001/${String.fromCharCode(32 + at)}`);
    for (const above of ends) {
      for (const through of ends) {
        if (above >= through) continue;
        const expression = ordersBetween(above, through, 'a&b');
        assert.doesNotMatch(expression, /\[(?:[^\]\\]|\\.)*?(?<![^\\]-)\\.-[^\]]/, `${above} ${through}`);
        const matches = matcher(ordersBetween(above, through, ''));
        for (const end of ends) if (end > above) assert.equal(matches(`${end}a`), `${end}a` <= through, `${end}a`);
      }
    }
  });

  it('leaves out what is far below the lower end', () => {
    const expression = ordersBetween('0000000001/records/00100/00100.xml', '0000000001/records/00200', '');
    assert.ok(!matcher(expression)('0000000001/records/000'));
    assert.ok(!matcher(expression)('0000000001/a'));
  });

  it('takes the texts that a search holds', () => {
    const texts = ['a', 'a&b', '20', '%20', '.', 'records/0010', 'x'];
    for (const text of texts) {
      const matches = matcher(ordersBetween('0000000001', '0000000001\u007f', text));
      const holds = holder([text]);
      for (const order of ORDERS) assert.equal(matches(order), holds(order.slice(10)), `${text} in ${order}`);
    }
  });

  it('takes all that begins alike where the range would be longer than Elasticsearch takes', () => {
    const folder = `0000000001/${'a-'.repeat(400)}`;
    const expression = ordersBetween(`${folder}1`, `${folder}2`, '.'.repeat(120));
    assert.ok(expression.length <= 1_000);
    const matches = matcher(expression);
    assert.ok(matches(`${folder}15${'.'.repeat(120)}`));
    assert.ok(!matches(`0000000001/${'b-'.repeat(400)}15${'.'.repeat(120)}`));
    assert.ok(!matches(`${folder}15${'.'.repeat(119)}`));
  });
});
