import assert from 'node:assert/strict';
import { Readable } from 'node:stream';
import { text } from 'node:stream/consumers';
import { entryWeight } from '../../src/core/entry-weight.ts';
import { isTidemarkError } from '../../src/core/errors.ts';
import type { ResourceKey } from '../../src/core/key.ts';
import type { Resource, ResourceState } from '../../src/core/resource.ts';
import type { Contents } from '../../src/sources/contents.ts';
import type { OpenedBytes } from '../../src/sources/served-source.ts';
import { type Synced, type SyncOptions, sync } from '../../src/sources/sync/sync.ts';
import { SyncLoop } from '../../src/sources/sync/sync-loop.ts';
import { SyncCounter, type SyncSummary } from '../../src/sources/sync-counter.ts';
import type { ResourceIndex } from '../../src/stores/resource-index.ts';
import { collect } from '../support/builders.ts';
import { until } from '../support/until.ts';

/** A set and its source, which has no resources yet. */
export interface SourceUnderTest extends Synced {
  readonly index: ResourceIndex;
  /** The key of the resource of a name, which is one letter. Keys sort as names do. */
  keyOf(name: string): ResourceKey;
  /** Makes the resource of a name, or gives it another content. */
  write(name: string, content: string): unknown;
  remove(name: string): unknown;
  /** Takes the bytes of a resource away, which only a fault does. */
  lose(resource: Resource): unknown;
}

/** A source outside the store, which can be missing: a disk that is not mounted, for instance. */
export interface OutsideSource extends SourceUnderTest {
  /** Takes the whole source away. */
  vanish(): unknown;
  /** Brings it back as it was. */
  comeBack(): unknown;
}

export interface ContentsUnderTest extends SourceUnderTest {
  /** Opens the bytes of the set as the thread that packs dumps does. */
  contents(): Promise<Contents>;
}

const unavailable = (error: unknown) => isTidemarkError(error, 'unavailable');
const lost = (error: unknown) => unavailable(error) || isTidemarkError(error, 'not-found');

/** Tests a source by the promises of its port that all sources keep. */
export function testSource(name: string, place: () => Promise<SourceUnderTest>): void {
  describe(`${name} as a source`, () => {
    let under: SyncedPlace;
    let loop: SyncLoop | undefined;
    beforeEach(async () => {
      under = new SyncedPlace(await place());
    });
    afterEach(async () => {
      await loop?.stop();
      loop = undefined;
    });

    it('gives the set what is new, changed and deleted, as a dry run has reported', async () => {
      for (const [changes, contents] of [
        [
          { b: 'this is b', c: 'c', a: '' },
          { a: '', b: 'this is b', c: 'c' },
        ],
        [
          { a: undefined, b: 'another b', e: 'e' },
          { b: 'another b', c: 'c', e: 'e' },
        ],
      ] as const) {
        await under.change(changes);
        const dry = await under.changesOf({ dryRun: true });
        assert.deepEqual(await under.changesOf(), dry);
        assert.deepEqual(await under.contents(), under.byKey(contents));
      }
      const key = (letter: string) => under.place.keyOf(letter);
      const history = await collect(under.place.index.changes(under.place.set.id, { after: 1 }));
      assert.deepEqual(
        history.map((change) => `${change.kind} ${change.key}`).sort(),
        [
          ...['a', 'b', 'c', 'e'].map((letter) => `created ${key(letter)}`),
          ...[`deleted ${key('a')}`, `updated ${key('b')}`],
        ].sort(),
      );
    });

    it('changes nothing in a dry run, nor when nothing has changed', async () => {
      await under.change({ a: 'a', b: 'b' });
      const changes = async () => (await under.place.index.summary(under.place.set.id)).changes;
      const before = await changes();
      await under.sync({ dryRun: true });
      assert.equal(await changes(), before);
      await under.sync();
      for (const rehash of [false, true]) assert.deepEqual(await under.changesOf({ rehash }), []);
      assert.equal(await changes(), 2);
    });

    it('rejects with the reason of an aborted signal, and can be compared again', async () => {
      await under.change({ a: 'a' });
      await under.sync();
      const reason = new Error('stopped');
      const aborted = { rehash: true, counter: new SyncCounter(), signal: AbortSignal.abort(reason) };
      const compare = async () => {
        const comparison = await under.place.source.compare(aborted);
        try {
          for await (const _ of comparison!.steps);
        } finally {
          await comparison?.end?.(undefined);
        }
      };
      await assert.rejects(compare(), reason);
      await assert.rejects(collect(under.place.source.verify(aborted)), reason);
      await under.change({ b: 'b' });
      await under.sync();
      assert.deepEqual(await under.contents(), under.byKey({ a: 'a', b: 'b' }));
    });

    it('verifies the set, and changes nothing', async () => {
      await under.change({ a: 'a', b: 'b' });
      await under.sync();
      assert.deepEqual(await under.mismatches(), []);
      const { state } = await under.resource('b');
      await under.post({ b: { ...state, length: 2 }, d: { length: 1 } });
      const before = await under.place.index.summary(under.place.set.id);
      const key = (letter: string) => under.place.keyOf(letter);
      assert.deepEqual(await under.mismatches(), [`differing ${key('b')}`, `missing ${key('d')}`]);
      assert.deepEqual(await under.place.index.summary(under.place.set.id), before);
    });

    it('reports changes, so that a loop keeps the set in sync, and none when the watch is closed', async () => {
      await under.change({ a: 'a' });
      let reported = 0;
      const watch = await under.place.source.watch(
        () => reported++,
        () => {},
      );
      await watch.close();
      const last = reported;
      loop = new SyncLoop(under.place);
      loop.start();
      await loop.firstSync;
      for (const [changes, contents] of [
        [{ a: 'changed' }, { a: 'changed' }],
        [{ b: 'b' }, { a: 'changed', b: 'b' }],
        [{ a: undefined }, { b: 'b' }],
      ] as const) {
        await under.change(changes);
        await under.untilSetHas(contents);
      }
      assert.equal(reported, last);
    });

    it('opens each resource as its state describes it, and any range of it', async () => {
      await under.change({ a: '0123456789', b: '' });
      await under.sync();
      const { length, mime, tag, ...opened } = await under.open('a');
      await opened.close();
      const { state } = await under.resource('a');
      assert.deepEqual([length, mime], [state.length, state.mime]);
      assert.match(tag, /^[!#-~]+$/, 'an opaque tag of RFC 9110, 8.8.3');
      assert.equal(await under.bytes('a', 0, 1), '0');
      assert.equal(await under.bytes('a', 2, 3), '234');
      assert.equal(await under.bytes('a', 5, 5), '56789');
      const empty = await under.open('b');
      await empty.close();
      assert.equal(empty.length, 0);
    });

    it('opens another version with another tag', async () => {
      const tags: string[] = [];
      for (const content of ['one', 'two']) {
        await under.change({ a: content });
        await under.sync();
        const opened = await under.open('a');
        await opened.close();
        tags.push(opened.tag);
      }
      assert.notEqual(tags[0], tags[1]);
    });

    it('reports bytes that are lost, when it opens or when it reads', async () => {
      await under.change({ a: 'a', b: 'b' });
      await under.sync();
      const resource = await under.resource('a');
      await under.place.lose(resource);
      let opened: OpenedBytes | undefined;
      await under.open('a').then(
        (it) => {
          opened = it;
        },
        (error) => assert.ok(lost(error), String(error)),
      );
      if (opened !== undefined) await assert.rejects(bytesOf(opened, 0, 1), unavailable);
    });
  });
}

/** Tests a source outside the store, which may be missing, or lose everything by a fault. */
export function testOutsideSource(name: string, place: () => Promise<OutsideSource>): void {
  describe(`${name} as a source outside the store`, () => {
    let under: SyncedPlace<OutsideSource>;
    let loop: SyncLoop | undefined;
    beforeEach(async () => {
      under = new SyncedPlace(await place());
    });
    afterEach(async () => {
      await loop?.stop();
      loop = undefined;
    });

    it('is unavailable while it is missing, and deletes nothing, whatever a user asks', async () => {
      await under.change({ a: 'a' });
      await under.sync();
      await under.place.vanish();
      for (const options of [{}, { attended: true, acceptsEmpty: true, acceptsOlder: true }, { dryRun: true }]) {
        await assert.rejects(under.sync(options), unavailable);
      }
      await assert.rejects(under.mismatches(), unavailable);
      assert.equal((await under.place.index.summary(under.place.set.id)).resources, 1);
    });

    it('is followed again when it comes back', async () => {
      await under.change({ a: 'a' });
      await under.sync();
      await under.place.vanish();
      const troubles: string[] = [];
      let recovered = false;
      loop = new SyncLoop({
        ...under.place,
        retryDelayMs: 20,
        events: {
          onTrouble: ({ code }) => troubles.push(code),
          onRecovered() {
            recovered = true;
          },
        },
      });
      loop.start();
      await until('the loop is in trouble', async () => troubles.length > 0);
      assert.deepEqual(new Set(troubles), new Set(['unavailable']));
      await under.place.comeBack();
      await until('the loop has recovered', async () => recovered);
      await under.change({ b: 'b' });
      await under.untilSetHas({ a: 'a', b: 'b' });
    });

    it('is unavailable when it is suddenly empty, unless a user asked', async () => {
      await under.change({ a: 'a' });
      await under.sync();
      await under.change({ a: undefined });
      await assert.rejects(under.sync(), unavailable);
      assert.equal((await under.sync({ attended: true, acceptsEmpty: true }))?.deleted, 1);
    });

    it('verifies what the set lacks', async () => {
      await under.change({ a: 'a', b: 'b' });
      await under.sync();
      await under.post({ a: undefined });
      assert.deepEqual(await under.mismatches(), [`extra ${under.place.keyOf('a')}`]);
    });
  });
}

/** Tests what dumps read of a set. */
export function testContents(name: string, place: () => Promise<ContentsUnderTest>): void {
  describe(`${name} as contents of dumps`, () => {
    let under: SyncedPlace<ContentsUnderTest>;
    let contents: Contents;
    beforeEach(async () => {
      under = new SyncedPlace(await place());
      await under.change({ a: 'this is a', b: '' });
      await under.sync();
      contents = await under.place.contents();
    });
    afterEach(() => contents.close());

    it('have the bytes that the source opens', async () => {
      await contents.requireThere();
      for (const [letter, expected] of Object.entries({ a: 'this is a', b: '' })) {
        const content = (await contents.open(await under.resource(letter)))!;
        assert.equal(content.length, expected.length);
        assert.equal(await text(content.stream()), expected);
        await content.close();
      }
    });

    it('report bytes that are lost', async () => {
      const resource = await under.resource('a');
      await under.place.lose(resource);
      const opened = await contents.open(resource).catch((error) => assert.ok(unavailable(error), String(error)));
      assert.equal(opened, undefined);
    });
  });
}

class SyncedPlace<Under extends SourceUnderTest = SourceUnderTest> {
  readonly place: Under;

  constructor(place: Under) {
    this.place = place;
  }

  /** Writes and removes resources by their names. */
  async change(contents: Readonly<Record<string, string | undefined>>): Promise<void> {
    for (const [name, content] of Object.entries(contents)) {
      if (content === undefined) await this.place.remove(name);
      else await this.place.write(name, content);
    }
  }

  sync(options: Partial<SyncOptions> = {}): Promise<SyncSummary | undefined> {
    return sync({ ...this.place, ...options });
  }

  /** The changes that a sync makes. */
  async changesOf(options: Partial<SyncOptions> = {}): Promise<readonly string[]> {
    const changes: string[] = [];
    const summary = await this.sync({ ...options, onChange: (kind, key) => changes.push(`${kind} ${key}`) });
    const { created = 0, updated = 0, deleted = 0 } = summary ?? {};
    assert.equal(created + updated + deleted, changes.length);
    return changes.sort();
  }

  /** Posts states that the source does not have; undefined deletes one. */
  async post(states: Readonly<Record<string, ResourceState | undefined>>): Promise<void> {
    const { set, updater, keyOf } = this.place;
    await updater.post(
      Object.entries(states).map(([name, state]) => {
        const key = keyOf(name);
        return { set: set.id, key, state, weight: entryWeight(set.urlPrefix, key, state) };
      }),
    );
  }

  async resource(name: string): Promise<Resource> {
    const [found] = await this.place.index.lookup(this.place.set.id, [this.place.keyOf(name)]);
    assert.ok(found?.state, name);
    return found;
  }

  async mismatches(): Promise<readonly string[]> {
    const found = await collect(this.place.source.verify({ counter: new SyncCounter() }));
    return [...new Set(found.map(({ kind, key }) => `${kind} ${key}`))].sort();
  }

  async open(name: string): Promise<OpenedBytes> {
    const opened = await this.place.source.open(await this.resource(name), { method: 'GET', isWhole: true });
    assert.ok('read' in opened, 'not a redirect');
    return opened;
  }

  async bytes(name: string, start = 0, length?: number): Promise<string> {
    const opened = await this.open(name);
    return bytesOf(opened, start, length ?? opened.length);
  }

  /** The bytes of all resources of the set, as the source opens them, by key. */
  async contents(): Promise<Readonly<Record<string, string>>> {
    const resources = await collect(this.place.index.read(this.place.set.id, {}));
    const contents: [string, string][] = [];
    for (const resource of resources) {
      const opened = await this.place.source.open(resource, { method: 'GET', isWhole: true });
      assert.ok('read' in opened, 'not a redirect');
      contents.push([resource.key, await bytesOf(opened, 0, opened.length)]);
    }
    return Object.fromEntries(contents);
  }

  async untilSetHas(contents: Readonly<Record<string, string>>): Promise<void> {
    const expected = JSON.stringify(this.byKey(contents));
    const has = async () => JSON.stringify(await this.contents()) === expected;
    await until(`the set has ${expected}`, () =>
      has().catch((error) => {
        // A file was removed, and is still in the set.
        if (lost(error)) return false;
        throw error;
      }),
    );
  }

  byKey(contents: Readonly<Record<string, string>>): Readonly<Record<string, string>> {
    return Object.fromEntries(Object.entries(contents).map(([name, content]) => [this.place.keyOf(name), content]));
  }
}

async function bytesOf(opened: OpenedBytes, start: number, length: number): Promise<string> {
  // An empty range cannot be read.
  if (length === 0) return opened.close().then(() => '');
  const read = await opened.read({ start, length });
  if (Buffer.isBuffer(read)) return read.toString();
  return text(read instanceof Readable ? read : read.stream());
}
