import assert from 'node:assert/strict';
import { BusyLimit } from '../../../src/oai/lists/busy-limit.ts';

describe('A limit of pages that are made at a time', () => {
  it('lets those that wait go before calls that give way', async () => {
    const limit = new BusyLimit();
    const order: string[] = [];
    const long = Array.from({ length: 4 }, (_, at) =>
      limit.run(async () => {
        for (let read = 0; read < 3; read++) await limit.giveWay();
        order.push(`long ${at}`);
      }),
    );
    const short = limit.run(async () => void order.push('short'));
    await Promise.all([...long, short]);
    assert.equal(order[0], 'short');
    assert.equal(order.length, 5);
  });

  it('refuses calls when too many wait', async () => {
    const limit = new BusyLimit();
    const { promise, resolve } = Promise.withResolvers<void>();
    const running = Array.from({ length: 64 }, () => limit.run(() => promise));
    await assert.rejects(
      limit.run(() => promise),
      /too many lists/,
    );
    resolve();
    await Promise.all(running);
  });
});
