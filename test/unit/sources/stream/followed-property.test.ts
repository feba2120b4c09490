import assert from 'node:assert/strict';
import fc from 'fast-check';
import { describeOnEachStore } from '../../../support/each-store.ts';
import { StreamPlace, type UploadedRecords } from '../../../support/stream-place.ts';

type Stream = 'main' | 'new';

interface Uploading {
  readonly kind: 'upload';
  readonly stream: Stream;
  /** How much later than others its upload arrived: late ones have a lower order. */
  readonly back: number;
  readonly records: UploadedRecords;
}

type Step =
  | Uploading
  | { readonly kind: 'default'; readonly stream: Stream }
  /** Some processes follow, at the same time as the next step. */
  | { readonly kind: 'sync'; readonly processes: readonly number[] };

const stream = fc.constantFrom<Stream>('main', 'new');
const records = fc.dictionary(
  fc.constantFrom('a', 'b', 'c', 'd', 'e'),
  fc.option(fc.constantFrom('1', '2', '3'), { nil: undefined }),
  { minKeys: 1 },
);
const step: fc.Arbitrary<Step> = fc.oneof(
  { weight: 4, arbitrary: fc.record({ kind: fc.constant('upload' as const), stream, back: fc.nat(2), records }) },
  { weight: 2, arbitrary: fc.record({ kind: fc.constant('default' as const), stream }) },
  {
    weight: 3,
    arbitrary: fc.record({
      kind: fc.constant('sync' as const),
      processes: fc.uniqueArray(fc.nat(1), { minLength: 1 }),
    }),
  },
);

/** What the uploads leave when they are read in their order. */
class Model {
  readonly #states = new Map<string, { readonly order: number; readonly document: string | undefined }>();

  upload(order: number, uploaded: UploadedRecords): void {
    for (const [id, document] of Object.entries(uploaded)) {
      if (order >= (this.#states.get(id)?.order ?? 0)) this.#states.set(id, { order, document });
    }
  }

  get keys(): readonly string[] {
    return [...this.#states].flatMap(([id, { document }]) => (document === undefined ? [] : [`/${id}`])).sort();
  }
}

describeOnEachStore('The records of the default stream, with random uploads and defaults', (store) => {
  const runs = store.kind === 'sqlite' ? 40 : 2;
  let place: StreamPlace;
  afterEach(() => place.close());

  it('are always those of that stream in the end, and no change of them leaves what was there @long', async function () {
    this.timeout(300_000);
    place = await StreamPlace.make(store);
    const processes = [place, await place.another()];
    let organizations = 0;
    await fc.assert(
      fc.asyncProperty(fc.array(step, { minLength: 1, maxLength: 12 }), async (steps) => {
        organizations += 1;
        const organization = `org${organizations}`;
        await place.organizations.add(organization, { contacts: [] });
        for (const id of ['main', 'new']) await place.organizations.addStream(organization, id);
        const models = { main: new Model(), new: new Model() };
        let number = 3;
        let underWay: Promise<unknown> = Promise.resolve();
        for (const done of steps) {
          if (done.kind === 'sync') {
            await underWay;
            underWay = Promise.all(done.processes.map((at) => processes[at]!.sync(organization)));
          } else if (done.kind === 'default') {
            await place.organizations.changeStream(organization, done.stream, { default: true });
          } else {
            number += 1;
            const order = number - done.back;
            await place.upload(`${organization}--${done.stream}`, order, done.records);
            models[done.stream].upload(order, done.records);
          }
        }
        await underWay;
        await Promise.all(processes.map((process) => process.sync(organization)));
        const { defaultStream } = await place.organizations.get(organization);
        const followed = await place.contents(`${organization}--${defaultStream}`);
        assert.deepEqual(await place.contents(organization), followed);
        assert.deepEqual(Object.keys(followed), models[defaultStream as Stream].keys);
        for (const digests of (await place.history(organization)).values()) {
          assert.ok(
            digests.every((digest, at) => digest !== digests[at - 1] || at === 0),
            digests.join(' '),
          );
        }
        assert.equal(await place.sync(organization), undefined);
        assert.equal((await place.sync(organization, { dryRun: true }))?.unchanged, Object.keys(followed).length);
      }),
      { numRuns: runs },
    );
  });
});
