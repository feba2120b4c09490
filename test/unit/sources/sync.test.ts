import assert from 'node:assert/strict';
import { setImmediate } from 'node:timers/promises';
import { entryWeight } from '../../../src/core/entry-weight.ts';
import type { ResourceState } from '../../../src/core/resource.ts';
import type { PublishedSet } from '../../../src/publish/published-set.ts';
import type { CompareOptions, Comparison, Difference, Source, SyncStep } from '../../../src/sources/source.ts';
import { type SyncOptions, sync } from '../../../src/sources/sync/sync.ts';
import type { SyncSummary } from '../../../src/sources/sync-counter.ts';
import { collect, URL_PREFIX, upsert } from '../../support/builders.ts';
import { PublishedSets } from '../../support/published-sets.ts';

const STATE = { length: 1 };
const OTHER = { length: 2 };

describe('A sync', () => {
  let sets: PublishedSets;
  let published: PublishedSet;
  /** What happens, in its order. */
  let steps: string[];
  before(async () => {
    sets = await PublishedSets.open();
  });
  after(() => sets.close());
  beforeEach(async () => {
    published = await sets.add();
    steps = [];
  });

  const difference = (name: string, state?: ResourceState, known?: ResourceState): Difference => ({
    key: `/${name}`,
    state,
    known,
  });
  const step = (...differences: readonly Difference[]): SyncStep => ({
    differences,
    onCommitted: () => steps.push(`remembered ${differences.map(({ key }) => key).join(' ')}`),
  });

  /** A source that finds these steps; of several comparisons, the next each time it is asked. */
  function sourceOf(...comparisons: readonly (Partial<Comparison> | undefined)[]): Source {
    let at = 0;
    return {
      longestRetryMs: 1,
      open: () => assert.fail('nothing is opened'),
      verify: () => assert.fail('nothing is verified'),
      watch: () => assert.fail('nothing is watched'),
      async compare({ counter }: CompareOptions) {
        const comparison = comparisons[at++];
        if (comparison === undefined) return undefined;
        counter.file();
        return {
          end: (summary) => {
            steps.push(summary === undefined ? 'failed' : 'ended');
          },
          ...comparison,
        } as Comparison;
      },
    };
  }
  async function* inSteps(...steps: readonly SyncStep[]): AsyncGenerator<SyncStep> {
    yield* steps;
  }

  const updater: SyncOptions['updater'] = {
    async post(events) {
      const results = await sets.index.commit(events);
      steps.push(`posted ${events.map(({ key }) => key).join(' ')}`);
      return results;
    },
  };
  function run(source: Source, options: Partial<SyncOptions> = {}): Promise<SyncSummary | undefined> {
    const onChange = (kind: string, key: string) => steps.push(`${kind} ${key}`);
    return sync({ set: published.set, source, updater, onChange, ...options });
  }
  function short(summary: SyncSummary | undefined): string | undefined {
    if (summary === undefined) return undefined;
    const { files, created, updated, deleted, unchanged } = summary;
    return `${files}: +${created} ~${updated} -${deleted} =${unchanged}`;
  }

  it('of a set that is known to be in sync does nothing', async () => {
    assert.equal(await run(sourceOf(undefined)), undefined);
    assert.deepEqual(steps, []);
  });

  it('posts what differs, counts what became of it, and has each step remembered when it is committed', async () => {
    const { id } = published.set;
    await sets.commit(...['edited', 'gone', 'same'].map((name) => upsert(id, name, STATE)));
    const found = inSteps(
      step(difference('edited', OTHER, STATE), difference('gone', undefined, STATE)),
      step(difference('new', STATE), difference('none'), difference('same', STATE)),
      step(),
    );
    assert.equal(short(await run(sourceOf({ steps: found }))), '1: +1 ~1 -1 =1');
    const expected = [
      'posted /edited /gone',
      'updated /edited',
      'deleted /gone',
      'remembered /edited /gone',
      'posted /new /none /same',
      'created /new',
      'remembered /new /none /same',
      'remembered ',
    ];
    assert.deepEqual(steps.slice(0, -1).toSorted(), expected.toSorted(), 'a step without differences is not posted');
    assert.equal(steps.at(-1), 'ended');
    assert.ok(steps.indexOf('posted /edited /gone') < steps.indexOf('remembered /edited /gone'));
    const states = await collect(sets.index.read(id, {}));
    assert.deepEqual(
      states.map(({ key, state }) => [key, state]),
      [
        ['/edited', OTHER],
        ['/new', STATE],
        ['/same', STATE],
      ],
    );
    const changes = await collect(sets.index.changes(id, { after: 0 }));
    assert.deepEqual(
      changes.slice(3).map(({ key, weight }) => [key, weight]),
      [
        ['/edited', entryWeight(URL_PREFIX, '/edited', OTHER)],
        ['/gone', entryWeight(URL_PREFIX, '/gone', undefined)],
        ['/new', entryWeight(URL_PREFIX, '/new', STATE)],
      ],
    );
  });

  it('on trial posts and remembers nothing, and counts what would be done', async () => {
    const found = inSteps(
      step(
        difference('edited', OTHER, STATE),
        difference('gone', undefined, STATE),
        difference('new', STATE),
        difference('same', STATE, STATE),
        difference('none'),
      ),
    );
    assert.equal(short(await run(sourceOf({ steps: found }), { dryRun: true })), '1: +1 ~1 -1 =1');
    assert.deepEqual(steps, ['updated /edited', 'deleted /gone', 'created /new', 'ended']);
    assert.equal((await sets.index.summary(published.set.id)).changes, 0);
  });

  it('needs no listener, and no memory', async () => {
    const found = inSteps({ differences: [difference('new', STATE)] });
    const source = sourceOf({ steps: found, end: () => {} });
    assert.equal(short(await run(source, { onChange: undefined })), '1: +1 ~0 -0 =0');
    const withoutEnd = { ...sourceOf(), compare: async () => ({ steps: inSteps() }) };
    assert.equal(short(await run(withoutEnd)), '0: +0 ~0 -0 =0');
  });

  it('that another process has overtaken remembers nothing of it, and compares again', async () => {
    const at = (position: number) => ({ position: { source: 'artifacts', position, sharesPosition: true } }) as const;
    await run(sourceOf({ ...at(2), steps: inSteps(step(difference('a', STATE))) }));
    steps = [];
    const late = inSteps(step(difference('a', OTHER, STATE), difference('b', STATE)), step(difference('c', STATE)));
    const source = sourceOf({ ...at(1), steps: late }, { ...at(3), steps: inSteps(step(difference('d', STATE))) });
    assert.equal(short(await run(source)), '1: +1 ~0 -0 =0');
    const done = steps.filter((step) => !step.startsWith('posted'));
    assert.deepEqual(done, ['failed', 'created /d', 'remembered /d', 'ended']);
    assert.deepEqual(
      (await collect(sets.index.read(published.set.id, {}))).map(({ key }) => key),
      ['/a', '/d'],
    );
  });

  it('fails when its set was removed', async () => {
    const set = { ...published.set, id: 999 };
    const source = sourceOf({ steps: inSteps(step(difference('a', STATE))) });
    await assert.rejects(run(source, { set }), { code: 'not-found', message: /no set with the id 999/ });
    assert.deepEqual(steps, ['posted /a', 'failed']);
  });

  it('that fails has what was committed remembered, and nothing else', async () => {
    const failure = new Error('the root is not there');
    async function* found() {
      yield step(difference('a', STATE));
      yield step(difference('b', STATE));
      throw failure;
    }
    await assert.rejects(run(sourceOf({ steps: found() })), failure);
    assert.equal(steps.at(-1), 'failed');
    assert.ok(steps.includes('remembered /a') && steps.includes('remembered /b'));
  });

  it('whose changes of links cannot be posted has failed', async () => {
    const failure = new Error('the store is away');
    const failing = { ...updater, relinkAll: () => Promise.reject(failure) };
    await assert.rejects(
      run(sourceOf({ steps: inSteps(step(difference('a', STATE))) }), { updater: failing }),
      failure,
    );
    assert.equal(steps.at(-1), 'failed');
  });

  it('posts two steps at a time', async () => {
    const underWay: PromiseWithResolvers<void>[] = [];
    let taken = 0;
    async function* found() {
      for (; taken < 4; taken++) yield step(difference(`${taken}`, STATE));
    }
    const waiting: SyncOptions['updater'] = {
      async post(events) {
        const commit = Promise.withResolvers<void>();
        underWay.push(commit);
        await commit.promise;
        return updater.post(events);
      },
    };
    const running = run(sourceOf({ steps: found() }), { updater: waiting });
    for (let turn = 0; turn < 20; turn++) await setImmediate();
    assert.deepEqual([underWay.length, taken], [2, 1]);
    for (let at = 0; at < 4; at++) {
      while (underWay[at] === undefined) await setImmediate();
      underWay[at]!.resolve();
    }
    assert.equal(short(await running), '1: +4 ~0 -0 =0');
  });

  it('that is aborted before it begins compares nothing', async () => {
    const reason = new Error('stopped');
    const source = sourceOf({ steps: inSteps(step(difference('a', STATE))) });
    await assert.rejects(run(source, { signal: AbortSignal.abort(reason) }), reason);
    assert.deepEqual(steps, []);
  });
});
