import assert from 'node:assert/strict';
import { setTimeout as wait } from 'node:timers/promises';
import { CallbackClient } from '../../../src/publish/notify/callback-client.ts';
import type { Notification } from '../../../src/publish/notify/channel.ts';
import { NotificationSenders } from '../../../src/publish/notify/notification-senders.ts';
import { ServedSource } from '../../support/served-source.ts';

describe('Senders of notifications', () => {
  it('send to receivers whose ids are any text, and continue where an earlier process stopped', async () => {
    const server = await ServedSource.start();
    const client = new CallbackClient('all');
    const { promise: isSent, resolve } = Promise.withResolvers<void>();
    const senders = new NotificationSenders({
      known: { 'upload 7 of cdl': { since: 3, through: 5 }, other: { since: 2, through: 9 } },
      onOutcome: () => resolve(),
    });
    server.answers.set('/done', 'ok');
    const asked: number[] = [];
    const body = Buffer.from('done');
    const notification: Notification = { set: 1, topic: 'http://a.example/', body, until: 8, oldest: 5 };
    try {
      const channel = {
        next: async (after: number) => {
          asked.push(after);
          return after < 8 ? notification : undefined;
        },
        news: (signal: AbortSignal) => wait(60_000, undefined, { signal }).catch(() => {}),
      };
      senders.start('upload 7 of cdl', {
        since: 3,
        channel,
        client,
        callback: `${server.baseUrl}/done`,
        secret: () => undefined,
        hub: async () => 'http://hub.example/',
        isAdmitted: async () => true,
      });
      await isSent;

      assert.ok(senders.has('upload 7 of cdl', 3));
      assert.ok(!senders.has('upload 7 of cdl', 4));
      assert.equal(asked[0], 5);
      assert.deepEqual(server.requests, ['/done']);
      const { sent, ...progress } = senders.progress()['upload 7 of cdl']!;
      assert.deepEqual(progress, { since: 3, through: 8 });
    } finally {
      await senders.stop();
      await client.close();
      await server.close();
    }
  });
});
