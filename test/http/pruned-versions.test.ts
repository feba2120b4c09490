import assert from 'node:assert/strict';
import { readFile, rm, utimes, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { text } from 'node:stream/consumers';
import type { App } from '../../src/app.ts';
import { boundaryAfter, boundaryBefore, formatStamp, type Stamp } from '../../src/core/stamp.ts';
import { ask } from '../support/ask.ts';
import { collect } from '../support/builders.ts';
import { describeOnEachArtifactStore } from '../support/each-artifact-store.ts';
import { describeOnEachStore, SQLITE } from '../support/each-store.ts';
import { keptVersions, sha256 } from '../support/kept-versions.ts';
import { closeApps, type StartedApp, startApp } from '../support/start-app.ts';
import { LONG_AGO } from '../support/temp-folder.ts';
import { VersionedSet } from '../support/versioned-set.ts';

/** A set whose versions are pruned. */
class PrunedSet extends VersionedSet {
  readonly app: App;
  #writes = 0;

  constructor(started: StartedApp, slug?: string) {
    super(started, slug);
    this.app = started.app;
  }

  /** Writes files, and deletes those without a content; then it scans. */
  async write(files: Readonly<Record<string, string | undefined>>): Promise<void> {
    for (const [name, content] of Object.entries(files)) {
      if (content === undefined) {
        await rm(this.#file(name), { force: true });
        continue;
      }
      await writeFile(this.#file(name), content);
      this.#writes += 1;
      await utimes(this.#file(name), LONG_AGO + this.#writes, LONG_AGO + this.#writes);
    }
    await this.scan();
  }

  /** Also of what was stored just now. */
  prune(before: Stamp, options: { readonly dryRun?: boolean } = {}) {
    return this.app.publishing.versionPruner.prune(this.slug, before, {
      storedBefore: Date.now() + 60_000,
      ...options,
    });
  }

  async now(): Promise<Stamp> {
    return this.app.index.mark();
  }

  /** Every change, with the boundary at which its version ended. */
  async history() {
    const set = await this.app.sets.bySlug(this.slug);
    const changes = await collect(this.app.index.changes(set.id, { after: 1 }));
    return changes.map((change, at) => {
      const next = changes.slice(at + 1).find(({ key }) => key === change.key);
      return { ...change, ended: next?.stamp ?? Number.POSITIVE_INFINITY };
    });
  }

  memento({ stamp, key }: { readonly stamp: Stamp; readonly key: string }): string {
    return `${this.home}/versions/${formatStamp(stamp)}${key}`;
  }

  async storedDigests(): Promise<ReadonlySet<string>> {
    const { id } = await this.app.sets.bySlug(this.slug);
    return new Set((await keptVersions(this.app.artifacts, id)).map(({ digest }) => digest));
  }

  #file(name: string): string {
    return join(this.folder, name);
  }
}

async function read(uri: string): Promise<string> {
  const { status, text } = await ask(uri);
  assert.equal(status, 200, `${uri}: ${text}`);
  return text;
}

/** The mementos that a document names. */
function mementosIn(text: string): readonly string[] {
  return [...text.matchAll(/rel="memento" href="([^"]*)"/g)].map(([, uri]) => uri!);
}

function suite(set: () => PrunedSet): void {
  it('removes what had ended before a time, and nothing else', async () => {
    const maps = set();
    await maps.add();
    await maps.write({ a: 'a1', b: 'b1', c: 'shared', d: 'd1' });
    await maps.write({ a: 'a2', c: 'c2', d: undefined });
    const before = await maps.now();
    await maps.write({ a: 'shared', e: 'e1' });
    await maps.write({ e: undefined });

    const dry = await maps.prune(before, { dryRun: true });
    assert.deepEqual([dry.versions, dry.bytes], [2, 4]);
    assert.equal((await maps.storedDigests()).size, 7);
    const done = await maps.prune(before);
    assert.deepEqual([done.versions, done.bytes], [2, 4]);
    const kept = ['b1', 'c2', 'a2', 'shared', 'e1'].map(sha256);
    assert.deepEqual(await maps.storedDigests(), new Set(kept));
    assert.equal((await maps.prune(before)).versions, 0);

    for (const change of (await maps.history()).filter(({ state }) => state !== undefined)) {
      const { status, bytes } = await ask(maps.memento(change));
      assert.equal(status, change.ended > before ? 200 : 410, maps.memento(change));
      if (status === 200) assert.equal(sha256(bytes), change.state!.hashes!['sha-256']);
    }
    const old = { 'Accept-Datetime': 'Thu, 31 May 2007 20:35:00 GMT' };
    const { headers } = await ask(`${maps.home}/timegate/a`, { headers: old });
    assert.equal(await read(headers.location!), 'a2');
    assert.equal([...(await read(`${maps.home}/timemap/a`)).matchAll(/memento"/g)].length, 2);
    assert.equal((await ask(`${maps.home}/timemap/d`)).status, 404);
  });

  it('keeps bytes that a scan has just stored', async () => {
    const maps = set();
    await maps.add();
    await maps.write({ a: 'first' });
    await maps.write({ a: 'second' });
    const done = await maps.app.publishing.versionPruner.prune(maps.slug, await maps.now());
    assert.equal(done.versions, 0);
    assert.equal((await maps.storedDigests()).size, 2);
  });
}

describeOnEachStore('Versions that ended long ago', (store, itOnce) => {
  let started: StartedApp;
  /** A set of its own for each test. */
  let maps: PrunedSet;
  let tests = 0;
  before(async () => {
    started = await startApp(store);
  });
  after(closeApps);
  beforeEach(() => {
    maps = new PrunedSet(started, `maps${++tests}`);
  });

  suite(() => maps);

  itOnce('are named by no document but Change Lists that were closed before, which never change', async () => {
    await maps.add({ windowChanges: 3 });
    await maps.write({ a: '1' });
    await maps.write({ a: '2' });
    await maps.write({ b: '1' });
    await maps.write({ a: '3' });
    await maps.write({ a: '4' });
    const closed = await read(`${maps.home}/changelist-1-00000001.xml`);
    const open = await ask(`${maps.home}/changelist-1-00000002.xml`);
    const list = await ask(`${maps.home}/resourcelist.xml`);
    assert.deepEqual([mementosIn(closed).length, mementosIn(open.text).length], [3, 2]);
    await maps.prune(await maps.now());

    const after = await ask(`${maps.home}/changelist-1-00000002.xml`);
    assert.deepEqual(mementosIn(after.text), []);
    assert.notEqual(after.headers.etag, open.headers.etag);
    assert.ok(Date.parse(after.headers['last-modified']!) >= Date.parse(open.headers['last-modified']!));
    assert.deepEqual(mementosIn(await read(`${maps.home}/changelist-recent.xml`)), []);
    // What is present is kept, so the list stays as it was.
    const same = await ask(`${maps.home}/resourcelist.xml`);
    assert.deepEqual([same.text, same.headers.etag], [list.text, list.headers.etag]);
    assert.deepEqual(await Promise.all(mementosIn(same.text).map(read)), ['4', '1']);
    assert.equal(await read(`${maps.home}/changelist-1-00000001.xml`), closed);
    const statuses = await Promise.all(mementosIn(closed).map(async (uri) => (await ask(uri)).status));
    assert.deepEqual(statuses, [410, 410, 200]);

    // A window that is closed after the prune names what was kept when it was closed.
    await maps.write({ c: '1' });
    await maps.write({ c: '2' });
    const second = await read(`${maps.home}/changelist-1-00000002.xml`);
    assert.match(second, / until="/);
    assert.deepEqual((await Promise.all(mementosIn(second).map(read))).join(), '1');
    await maps.prune(await maps.now());
    // Also where it is rendered anew.
    const key = { kind: 'changeListWindow', set: maps.slug, name: '1-00000002' } as const;
    const fresh = await maps.app.publishing.freshPublisher().setDocument(key);
    assert.equal(await text(Readable.from(await fresh.open('identity'))), second);
    assert.equal(await read(`${maps.home}/changelist-1-00000002.xml`), second);
  });

  itOnce('change no document while nothing else has ended', async () => {
    await maps.add();
    await maps.write({ a: '1' });
    await maps.write({ a: '2' });
    await maps.prune(await maps.now());
    const tagsOf = async () => {
      const documents = ['resourcelist', 'changelist', 'changelist-recent', 'capabilitylist'];
      return Promise.all(documents.map(async (name) => (await ask(`${maps.home}/${name}.xml`)).headers.etag));
    };
    const before = await tagsOf();
    await maps.prune(await maps.now());
    assert.deepEqual(await tagsOf(), before);
  });

  itOnce('stay as long as the next build of a Change Dump needs them', async () => {
    await maps.add({ windowChanges: 2 });
    await maps.write({ a: '1' });
    await maps.write({ a: '2' });
    await maps.write({ a: '3' });
    await maps.app.publishing.dumps.build(maps.slug, {});
    await maps.write({ a: '4' });
    await maps.write({ a: '5' });
    const dump = await read(`${maps.home}/changedump.xml`);
    const pruned = await maps.prune(await maps.now());
    // The versions 1 and 2 are packed; 2 was current when the last package ended.
    assert.equal(pruned.versions, 1);
    assert.ok(dump.includes(` until="${formatStamp(pruned.neededSince!)}"`));
    assert.equal(await read(`${maps.home}/changedump.xml`), dump);
    await maps.app.publishing.dumps.build(maps.slug, {});
    const longer = await read(`${maps.home}/changedump.xml`);
    assert.equal([...longer.matchAll(/application\/zip/g)].length, 2);
    assert.equal(/ from="([^"]*)"/.exec(longer)![1], / from="([^"]*)"/.exec(dump)![1]);
    assert.equal((await maps.prune(await maps.now())).versions, 2);
  });

  itOnce('are pruned as a whole where there is no dump; then the dump begins with what is kept', async () => {
    await maps.add({ windowChanges: 2 });
    for (const content of ['1', '2', '3', '4', '5']) await maps.write({ a: content });
    assert.equal((await maps.prune(await maps.now())).versions, 4);
    await maps.write({ a: '6' });
    await maps.write({ a: '7' });
    await maps.app.publishing.dumps.build(maps.slug, {});
    const dump = await read(`${maps.home}/changedump.xml`);
    assert.equal([...dump.matchAll(/application\/zip/g)].length, 1);
    const { versionsPruned } = await maps.app.sets.bySlug(maps.slug);
    assert.match(dump, new RegExp(` from="${formatStamp(versionsPruned!.at(-1)!.before)}"`));
  });

  itOnce('are removed from every other pack when some packs are damaged', async () => {
    await maps.add();
    for (const a of ['1', '2', '3', '4']) await maps.write({ a, [`b${a}`]: `other ${a}` });
    const { id } = await maps.app.sets.bySlug(maps.slug);
    const packs = (await keptVersions(maps.app.artifacts, id)).filter(({ bytes }) => /^[123]$/.test(`${bytes}`));
    const [none, torn, whole] = packs.map(({ key }) => key);
    const file = (key: string) => join(started.folder, 'artifacts', key);
    await writeFile(file(none!), '');
    // The directory is as it was.
    await writeFile(file(torn!), (await readFile(file(torn!), 'latin1')).replace(/other/, 'OTHER'), 'latin1');
    const { versions, ...found } = await maps.prune(await maps.now());
    const damaged = found.damaged.toSorted();
    assert.equal(versions, 1);
    assert.equal(damaged.length, 2);
    assert.ok(damaged[0]!.startsWith(`${none} is not a pack of versions`), damaged[0]);
    assert.ok(damaged[1]!.startsWith(`${torn} is damaged`), damaged[1]);
    for (const [key, stays] of [
      [none, true],
      [torn, true],
      [whole, false],
    ] as const) {
      assert.equal((await maps.app.artifacts.head(key!)) !== undefined, stays, key);
    }
  });

  itOnce('leave every document honest, whatever changed and was pruned before', async () => {
    await maps.add({ windowChanges: 4, pageEntries: 2 });
    const random = randomOf(7);
    const closed = new Map<string, string>();
    let boundary = 0;
    for (let round = 0; round < 8; round++) {
      for (let step = 0; step < 2; step++) {
        const names = ['a', 'b', 'c', 'd'].filter(() => random(2) === 0);
        const content = () => (random(4) === 0 ? undefined : `content ${random(5)}`);
        await maps.write(Object.fromEntries(names.map((name) => [name, content()])));
      }
      const history = await maps.history();
      if (random(3) === 0) await maps.app.publishing.dumps.build(maps.slug, {});
      const at = history[random(history.length)]?.stamp ?? 0;
      const wanted = random(2) === 0 ? boundaryAfter(at) : boundaryBefore(at);
      const { before } = await maps.prune(wanted);
      assert.ok(before <= Math.max(wanted, boundary) && before >= boundary);
      boundary = before;
      await requireHonest(boundary, closed);
    }
    assert.ok(boundary > 0);
  });

  /** @param closed the closed Change Lists that were read before */
  async function requireHonest(boundary: Stamp, closed: Map<string, string>): Promise<void> {
    const history = await maps.history();
    const kept = history.filter(({ state, ended }) => state !== undefined && ended > boundary);
    const isKept = new Map(kept.map((change) => [maps.memento(change), change.state!.hashes!['sha-256']!]));
    assert.deepEqual(await maps.storedDigests(), new Set(isKept.values()));
    const named = new Set<string>();
    for (const document of ['resourcelist', 'changelist', 'changelist-recent']) {
      const text = await read(`${maps.home}/${document}.xml`);
      for (const uri of mementosIn(text)) named.add(uri);
      for (const [, uri = ''] of text.matchAll(/<sitemap><loc>([^<]*)</g)) {
        const part = await read(uri);
        if (!/ until="/.test(part)) {
          for (const memento of mementosIn(part)) named.add(memento);
          continue;
        }
        assert.equal(part, closed.get(uri) ?? part);
        closed.set(uri, part);
      }
    }
    for (const { key } of history) {
      const { status, text } = await ask(`${maps.home}/timemap${key}`);
      if (status === 404) continue;
      for (const [, uri = ''] of text.matchAll(/^<([^>]*)>; rel="[^"]*memento"/gm)) named.add(uri);
      const { headers } = await ask(`${maps.home}/timegate${key}`);
      named.add(headers.location!);
    }
    assert.ok(kept.every((change) => named.has(maps.memento(change))));
    for (const uri of named) {
      assert.ok(isKept.has(uri), uri);
      assert.equal(sha256((await ask(uri)).bytes), isKept.get(uri));
    }
    for (const text of closed.values()) {
      for (const uri of mementosIn(text)) assert.equal((await ask(uri)).status, isKept.has(uri) ? 200 : 410);
    }
    const { status, text: dump } = await ask(`${maps.home}/changedump.xml`);
    if (status === 404) return;
    const entry = /<loc>([^<]*)<\/loc><rs:md from="[^"]*" until="[^"]*" hash="sha-256:([0-9a-f]*)"/g;
    for (const [, uri = '', hash] of dump.matchAll(entry)) assert.equal(sha256((await ask(uri)).bytes), hash);
  }
});

describeOnEachArtifactStore('Versions that ended long ago', (place) => {
  let maps: PrunedSet;
  beforeEach(async () => {
    maps = new PrunedSet(await startApp(SQLITE, { artifacts: place.location }));
  });
  afterEach(closeApps);

  suite(() => maps);
});

/** Numbers below a limit, the same ones in each run. */
function randomOf(seed: number): (limit: number) => number {
  let state = seed;
  return (limit) => {
    state = (state * 48_271) % 2_147_483_647;
    return state % limit;
  };
}
