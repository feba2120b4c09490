import assert from 'node:assert/strict';
import { join } from 'node:path';
import fc from 'fast-check';
import type { App } from '../../src/app.ts';
import { UploadProcessor } from '../../src/records/deliveries/upload-processor.ts';
import { removeReplaced } from '../../src/records/removal/remove-replaced.ts';
import { describeOnEachStore } from '../support/each-store.ts';
import { closeApps, startApp } from '../support/start-app.ts';
import { TwoStreams } from '../support/two-streams.ts';

const signal = new AbortController().signal;
const IN_TEN_DAYS = Date.now() + 10 * 86_400_000;
const RECORDS = fc.dictionary(fc.constantFrom('a', 'b', 'c', 'd'), fc.constantFrom('1', '2'), { minKeys: 1 });
const ACTION = fc.oneof(
  fc.record({ stream: fc.constantFrom('old', 'new'), records: RECORDS, full: fc.boolean() }),
  fc.record({ makeDefault: fc.constantFrom('old', 'new') }),
  fc.constant('clean-up' as const),
);

describeOnEachStore('records that a full upload has replaced (131)', (store, itOnce) => {
  let app: App;
  let streams: TwoStreams;

  beforeEach(async () => {
    ({ app } = await startApp(store));
    streams = await TwoStreams.make(app);
  });
  afterEach(closeApps);

  const cleanUp = () =>
    removeReplaced({ ...app, organizations: app.records.organizations }, { signal, now: IN_TEN_DAYS });

  itOnce('leave every record readable, whatever comes in which order', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(ACTION, { minLength: 4, maxLength: 12 }), async (actions) => {
        const model = new Map<string, Record<string, string>>(await modelOf());
        for (const action of [...actions, 'clean-up' as const]) {
          if (action === 'clean-up') {
            await streams.follow();
            await cleanUp();
          } else if ('makeDefault' in action) await streams.makeDefault(action.makeDefault);
          else {
            const { stream, records, full } = action;
            await streams.put(stream, records, full ? { unmentioned: 'deleted', acceptsDrop: true } : {});
            model.set(stream, { ...(full ? {} : model.get(stream)), ...records });
          }
        }
        const { defaultStream } = await app.records.organizations.get('lane');
        for (const stream of ['old', 'new']) {
          assert.deepEqual(titles(await streams.records(`lane--${stream}`)), model.get(stream) ?? {});
        }
        assert.deepEqual(titles(await streams.records('lane')), model.get(defaultStream!) ?? {});
      }),
      { numRuns: 12 },
    );
  });

  /** What the runs before this one have left. */
  async function modelOf(): Promise<readonly (readonly [string, Record<string, string>])[]> {
    const read = async (stream: string) => [stream, titles(await streams.records(`lane--${stream}`))] as const;
    return [await read('old'), await read('new')];
  }

  it('are not needed by a process that has slept, and posts again what it has read', async () => {
    let wake = () => {};
    const asleep = new Promise<void>((resolve) => {
      wake = resolve;
    });
    let posts = () => {};
    const posting = new Promise<void>((resolve) => {
      posts = resolve;
    });
    const sleeper = new UploadProcessor({
      ...{ ...app, organizations: app.records.organizations, dropLimits: { stop: 1, warn: 1 }, fetchRetryMs: 0 },
      updater: {
        async post(events) {
          posts();
          await asleep;
          return app.updater.post(events);
        },
      },
      threadData: {
        store: app.configuration.store,
        artifacts: app.configuration.artifacts,
        folder: join(app.configuration.dataFolder, 'spool'),
        failpoint: undefined,
      },
      removals: { end: () => Promise.reject(new Error('it removes nothing')) },
      fetch: () => Promise.reject(new Error('it has files')),
    });
    try {
      const upload = await streams.receive('old', { a: '1', b: '1' });
      const attempt = { signal, isLast: false, report() {}, log() {} };
      const sleeping = sleeper.process(upload, attempt);
      await posting;
      await app.records.uploadProcessor.process(upload, attempt);
      await streams.put('old', { a: '2' }, { unmentioned: 'deleted', acceptsDrop: true });
      await streams.follow();
      assert.equal(await cleanUp(), 1);
      wake();
      await sleeping;
      await streams.follow();
      assert.deepEqual(titles(await streams.records('lane--old')), { a: '2' });
      assert.deepEqual(titles(await streams.records('lane')), { a: '2' });
    } finally {
      await sleeper.close();
    }
  });
});

/** Each record as it was written, by its title. */
function titles(records: Record<string, string>): Record<string, string> {
  return Object.fromEntries(Object.entries(records).map(([id, text]) => [id, /\x1fa([12])/.exec(text)![1]!]));
}
