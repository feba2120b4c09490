import assert from 'node:assert/strict';
import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { ProcessChannel } from '../../src/processes/process-channel.ts';
import type { Asked, Asks } from '../support/answering-process.ts';

const FILE = fileURLToPath(new URL('../support/answering-process.ts', import.meta.url));

describe('A channel between two processes', () => {
  let child: ChildProcess;
  let channel: ProcessChannel<Asked, Asks>;

  beforeEach(() => {
    child = fork(FILE, { serialization: 'advanced' });
    channel = new ProcessChannel<Asked, Asks>(child, {
      add: (numbers) => numbers.reduce((sum, number) => sum + number, 0),
    });
  });
  afterEach(async () => {
    if (child.exitCode !== null) return;
    const exited = once(child, 'exit');
    child.kill();
    await exited;
  });

  it('answers several questions at a time, in both directions', async () => {
    const waiting = channel.ask('wait', undefined).catch(({ code }) => code);
    assert.deepEqual(await Promise.all([1, 2, 3].map((number) => channel.ask('double', number))), [2, 4, 6]);
    child.disconnect();
    assert.equal(await waiting, 'unavailable');
  });

  it('passes on what was thrown, with its code', async () => {
    await assert.rejects(channel.ask('refuse', 'too early'), {
      code: 'not-ready',
      message: 'too early',
      details: { set: 'maps' },
    });
  });

  it('fails what waits when the other process ends, and what is asked afterwards', async () => {
    const waiting = channel.ask('wait', undefined);
    await Promise.all([
      assert.rejects(waiting, { code: 'unavailable' }),
      assert.rejects(channel.ask('end', undefined), { code: 'unavailable' }),
    ]);
    await assert.rejects(channel.ask('double', 1), { code: 'unavailable' });
  });
});
