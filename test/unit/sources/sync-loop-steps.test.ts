import assert from 'node:assert/strict';
import { getEventListeners } from 'node:events';
import { setTimeout as wait } from 'node:timers/promises';
import { TidemarkError } from '../../../src/core/errors.ts';
import type { ResourceSet } from '../../../src/core/resource-set.ts';
import type { CompareOptions, Comparison, Source, SourceProblem } from '../../../src/sources/source.ts';
import { SyncLoop, type SyncLoopOptions } from '../../../src/sources/sync/sync-loop.ts';
import { until } from '../../support/until.ts';

/** Of a source that is in trouble, what a loop does is a question of time: none of these waits for files or a store. */
describe('A sync loop, step by step', () => {
  /** What happens, in its order. */
  let steps: string[];
  let loop: SyncLoop;
  /** When each comparison began, milliseconds. */
  let attempts: number[];
  let report: { change(path: string): void; problem(problem: SourceProblem): void };
  let compare: (options: CompareOptions) => Promise<Comparison | undefined>;
  let watch: () => void;
  beforeEach(() => {
    steps = [];
    attempts = [];
    compare = nothingDiffers;
    watch = () => {};
  });
  afterEach(() => loop.stop());

  async function nothingDiffers({ counter }: CompareOptions): Promise<Comparison> {
    counter.file();
    return { steps: (async function* () {})() };
  }
  const fails = (error: unknown) => async () => {
    throw error;
  };
  const outage = new TidemarkError('unavailable', 'the source is not there');

  function newLoop(options: Partial<SyncLoopOptions> = {}, longestRetryMs = 0): SyncLoop {
    const source: Source = {
      longestRetryMs,
      open: () => assert.fail('nothing is opened'),
      verify: () => assert.fail('nothing is verified'),
      async watch(change, problem) {
        watch();
        report = { change, problem };
        steps.push('watched');
        return {
          async close() {
            steps.push('closed');
          },
        };
      },
      async compare(options) {
        attempts.push(performance.now());
        steps.push(`compared ${options.under?.join(' ') ?? 'all'}`);
        return compare(options);
      },
    };
    return new SyncLoop({
      set: { id: 1, slug: 'set' } as ResourceSet,
      source,
      updater: { post: () => assert.fail('nothing is posted') },
      retryDelayMs: 1,
      events: {
        onProgress: ({ files }) => steps.push(`found ${files}`),
        onScanned: ({ files }, extent) => steps.push(`scanned ${extent} ${files}`),
        onProblem: ({ path }) => steps.push(`problem ${path}`),
        onTrouble: ({ code, message }) => steps.push(`${code}: ${message}`),
        onRecovered: () => steps.push('recovered'),
        onStopped: () => steps.push('stopped'),
      },
      ...options,
    });
  }
  function start(options?: Partial<SyncLoopOptions>, longestRetryMs?: number): void {
    loop = newLoop(options, longestRetryMs);
    loop.start();
  }
  const untilStep = (step: string) => until(step, async () => steps.includes(step));
  const untilAttempts = (count: number) => until(`${count} attempts`, async () => attempts.length >= count);

  it('watches before it syncs, then syncs what changes, and closes what it watches', async () => {
    start();
    loop.start();
    assert.equal((await loop.firstSync)?.files, 1);
    report.change('a');
    report.change('b/c');
    await untilStep('scanned changes 1');
    await loop.stop();
    assert.deepEqual(steps, [
      'watched',
      'compared all',
      'found 1',
      'scanned full 1',
      'compared a b/c',
      'scanned changes 1',
      'closed',
      'stopped',
    ]);
  });

  it('syncs all again when everything may have changed', async () => {
    start();
    await loop.firstSync;
    report.change('a');
    report.change('');
    await until('a second sync', async () => steps.filter((step) => step === 'scanned full 1').length === 2);
    assert.deepEqual(steps.slice(4), ['compared all', 'found 1', 'scanned full 1']);
  });

  it('syncs all again on request, and needs none before it has begun', async () => {
    loop = newLoop();
    loop.syncAll();
    loop.start();
    await loop.firstSync;
    loop.syncAll();
    await until('a second sync', async () => steps.filter((step) => step === 'scanned full 1').length === 2);
    await loop.stop();
    loop.syncAll();
    assert.deepEqual(steps.slice(4), ['compared all', 'found 1', 'scanned full 1', 'closed', 'stopped']);
  });

  it('reports no scan of a set that is known to be in sync, which is synced nevertheless', async () => {
    compare = async () => undefined;
    start();
    const { files, created } = (await loop.firstSync)!;
    assert.deepEqual([files, created], [0, 0]);
    assert.deepEqual(steps, ['watched', 'compared all']);
  });

  it('needs no listener', async () => {
    compare = fails(outage);
    start({ events: {} });
    await untilAttempts(2);
    compare = nothingDiffers;
    assert.equal((await loop.firstSync)?.files, 1);
    report.problem({ path: 'a', problem: 'cannot be watched' });
    report.change('b');
    await untilStep('compared b');
    await loop.stop();
  });

  it('reports a folder that cannot be watched, and goes on', async () => {
    start();
    await loop.firstSync;
    report.problem({ path: 'a', problem: 'cannot be watched' });
    report.change('b');
    await untilStep('scanned changes 1');
    assert.deepEqual(steps.slice(4), ['problem a', 'compared b', 'scanned changes 1']);
  });

  it('begins again when its source vanishes', async () => {
    start();
    await loop.firstSync;
    report.problem({ path: '', problem: 'the root vanished' });
    await untilStep('recovered');
    assert.deepEqual(steps.slice(4), [
      'unavailable: the root vanished',
      'closed',
      'watched',
      'compared all',
      'found 1',
      'scanned full 1',
      'recovered',
    ]);
  });

  it('reports trouble once, another one again, and that it is over once', async () => {
    compare = fails(outage);
    start();
    await untilAttempts(3);
    compare = fails(new TypeError('a fault'));
    await untilStep('unavailable: keeping the set in sync failed: a fault');
    compare = fails('a text');
    await untilStep('unavailable: keeping the set in sync failed: a text');
    compare = nothingDiffers;
    await untilStep('recovered');
    report.change('');
    await until('a second sync', async () => steps.filter((step) => step === 'scanned full 1').length === 2);
    compare = fails(outage);
    report.change('');
    await until('trouble', async () => steps.filter((step) => step.startsWith('unavailable')).length === 4);
    assert.deepEqual(
      steps.filter((step) => step.includes(':') || step === 'recovered'),
      [
        'unavailable: the source is not there',
        'unavailable: keeping the set in sync failed: a fault',
        'unavailable: keeping the set in sync failed: a text',
        'recovered',
        'unavailable: the source is not there',
      ],
    );
  });

  it('reports trouble of a sync of single changes, and syncs all after it', async () => {
    start();
    await loop.firstSync;
    compare = fails(outage);
    report.change('a');
    await untilStep('unavailable: the source is not there');
    compare = nothingDiffers;
    await untilStep('recovered');
    const compared = steps.filter((step) => step.startsWith('compared'));
    assert.deepEqual(
      [compared.slice(0, 2), new Set(compared.slice(2))],
      [['compared all', 'compared a'], new Set(['compared all'])],
    );
  });

  it('waits for a source that cannot be watched', async () => {
    watch = () => {
      throw outage;
    };
    start();
    await untilStep('unavailable: the source is not there');
    assert.equal(attempts.length, 0, 'what could change unnoticed is not compared');
    watch = () => {};
    assert.equal((await loop.firstSync)?.files, 1);
  });

  describe('tries again', () => {
    it('as often as it must, and leaves nothing behind of earlier attempts', async () => {
      const listeners: number[] = [];
      compare = async ({ signal }) => {
        listeners.push(getEventListeners(signal!, 'abort').length);
        throw outage;
      };
      start();
      await untilAttempts(4);
      assert.deepEqual(new Set(listeners), new Set([listeners[0]]));
    });

    /** Milliseconds between one attempt and the next; a timer may be a millisecond early. */
    const pauses = () => attempts.slice(1).map((at, before) => at - attempts[before]! + 1.5);

    it('after twice as long each time, up to the longest time of its source', async () => {
      compare = fails(outage);
      // Without a limit, the last of these pauses would take a minute.
      start({ retryDelayMs: 15 }, 60);
      await untilAttempts(14);
      for (const [at, least] of [15, 30, 60, 60, 60].entries()) assert.ok(pauses()[at]! >= least, `${pauses()}`);
    });

    it('after the first delay at least, however short the longest time of its source is', async () => {
      compare = fails(outage);
      start({ retryDelayMs: 20 }, 1);
      await untilAttempts(4);
      for (const pause of pauses()) assert.ok(pause >= 20, `${pauses()}`);
    });

    it('after the first delay and no more, when there was no trouble before', async () => {
      const trouble = Promise.withResolvers<void>();
      compare = fails(outage);
      start({ retryDelayMs: 50, events: { onTrouble: () => trouble.resolve() } }, 60_000);
      await trouble.promise;
      // Timers run in the order of their times, however busy the machine is.
      await wait(90);
      assert.equal(attempts.length, 2);
    });

    it('after the first delay again, when a sync was complete meanwhile', async () => {
      compare = fails(outage);
      start({ retryDelayMs: 10 }, 60_000);
      await untilAttempts(7);
      compare = nothingDiffers;
      report.problem({ path: '', problem: 'what is left of the pause ends' });
      await untilStep('recovered');
      compare = fails(outage);
      const before = attempts.length;
      report.change('');
      await untilAttempts(before + 1);
      await wait(300);
      assert.ok(attempts.length >= before + 2);
    });

    it('when something changes, or on request, though the time is not over', async () => {
      compare = fails(outage);
      start({ retryDelayMs: 1 }, 3_600_000);
      for (let count = 1; count <= 20; count++) {
        await untilAttempts(count);
        report.problem({ path: '', problem: 'another change' });
      }
      // The next pauses would take a quarter of an hour, and half an hour.
      report.change('a');
      await untilAttempts(21);
      loop.syncAll();
      await untilAttempts(22);
    });
  });

  it('reports nothing more after it was stopped while it waited, or synced', async () => {
    compare = fails(outage);
    start({ retryDelayMs: 3_600_000 });
    await untilStep('unavailable: the source is not there');
    await loop.stop();
    assert.equal(steps.at(-1), 'stopped');
    assert.equal(await loop.firstSync, undefined);

    steps = [];
    const begun = Promise.withResolvers<void>();
    compare = ({ signal }) => {
      begun.resolve();
      return new Promise((_, reject) => signal!.addEventListener('abort', () => reject(signal!.reason)));
    };
    start();
    await begun.promise;
    await loop.stop();
    assert.deepEqual(steps, ['watched', 'compared all', 'closed', 'stopped']);
  });

  it('does nothing when it was stopped before it was started', async () => {
    loop = newLoop();
    await loop.stop();
    loop.start();
    await loop.stop();
    assert.deepEqual(new Set(steps), new Set(['stopped']));
  });
});
