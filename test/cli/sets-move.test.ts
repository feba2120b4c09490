import assert from 'node:assert/strict';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { openStores } from '../../src/stores/open-stores.ts';
import { describeOnEachStore } from '../support/each-store.ts';
import { findFreePort } from '../support/free-port.ts';
import { SetReader } from '../support/set-reader.ts';
import { Workplace } from '../support/workplace.ts';

const ONE = 'https://one.example.org/p/';
const NEXT = 'https://next.example.org/p/';

interface Posted {
  readonly value: string;
  readonly type?: 'url' | 'rel_path';
  /** Of a deletion there is none. */
  readonly length?: number;
  readonly ln?: readonly unknown[];
}

describeOnEachStore('tidemark sets move', (store, itOnce) => {
  let place: Workplace;

  beforeEach(async () => {
    place = await Workplace.make(store);
  });

  afterEach(() => place.close());

  it('gives resources that were posted as URLs below the new prefix the key of their URI', async () => {
    await done(`sets add s --url-prefix ${ONE} --base-url http://localhost:9999`);
    const lists = await serve();
    await post(
      { value: 'a', type: 'rel_path', length: 1 },
      { value: `${NEXT}a`, length: 2 },
      { value: `${NEXT}b`, length: 3 },
      { value: 'c', type: 'rel_path', length: 4 },
      { value: `${NEXT}%64`, length: 5 },
      { value: 'https://third.example.org/p/e', length: 6 },
    );
    assert.equal((await lists.resourceList()).resources.size, 6);

    await done(`sets move s ${NEXT} --confirm-move`);
    const expected = { a: 2, b: 3, c: 4, d: 5 };
    assert.deepEqual(await listed(lists), expected);

    assert.deepEqual(await post({ value: `${NEXT}b` }, { value: `${NEXT}a`, length: 7 }), { applied: 2 });
    assert.deepEqual(await listed(lists), { a: 7, c: 4, d: 5 });
    assert.deepEqual(await post({ value: `${NEXT}d` }, { value: 'c', type: 'rel_path', length: 8 }), { applied: 2 });
    assert.deepEqual(await listed(lists), { a: 7, c: 8 });

    const [window] = await lists.changeWindows();
    const changes = window!.changes.map(({ change, uri }) => [change, uri.replace(NEXT, '')]);
    assert.deepEqual(changes, [
      ['deleted', 'b'],
      ['updated', 'a'],
      ['deleted', 'd'],
      ['updated', 'c'],
    ]);
    await done('verify s');
  });

  it('is finished by the next server when it was interrupted', async () => {
    await done(`sets add s --url-prefix ${ONE} --base-url http://localhost:9999`);
    await post({ value: `${NEXT}a`, length: 1 });
    const { exitCode } = await place.run(['sets', 'move', 's', NEXT, '--confirm-move'], {
      env: { TIDEMARK_FAILPOINT: 'commit.begun:kill' },
    });
    assert.notEqual(exitCode, 0);
    assert.equal(JSON.parse(await done('sets show s --json')).ready, false);

    assert.deepEqual(await listed(await serve()), { a: 1 });
    const { ready, urlPrefix, epoch } = JSON.parse(await done('sets show s --json'));
    assert.deepEqual({ ready, urlPrefix, epoch }, { ready: true, urlPrefix: NEXT, epoch: 2 });
  });

  it('of an earlier version may have left two keys for one URI: verify finds them, and renew mends them', async () => {
    await done(`sets add s --url-prefix ${NEXT}`);
    await post({ value: 'a', type: 'rel_path', length: 1 }, { value: 'b', type: 'rel_path', length: 1 });
    await post({ value: 'b', type: 'rel_path' });
    const { index, close } = await openStores(place.store.location);
    try {
      const state = { length: 2 };
      for (const name of ['a', 'b', 'c']) await index.commit([{ set: 1, key: NEXT + name, state, weight: 500 }]);
    } finally {
      await close();
    }

    const { stdout, exitCode } = await place.run(['verify', 's']);
    assert.match(
      stdout,
      /^name: https:\/\/next\.example\.org\/p\/a .* should have the key \/a: "tidemark sets renew s/m,
    );
    assert.equal(exitCode, 1);

    await done('sets renew s --confirm');
    await done('verify s');
    const found = (await done('resources find s / --json')).trim().split('\n');
    const keys = found.map((line) => JSON.parse(line)).map(({ key, length }) => [key, length]);
    assert.deepEqual(keys, [
      ['/a', 2],
      ['/b', 2],
      ['/c', 2],
    ]);
  });

  itOnce('moves nothing when the set is there already', async () => {
    await done(`sets add s --url-prefix ${ONE}`);
    for (const prefix of [ONE, ONE.slice(0, -1)]) {
      assert.match(await done(`sets move s ${prefix} --confirm-move`), /^s is at \S+\/p\/ already: nothing was moved/);
    }
    assert.equal(JSON.parse(await done('sets show s --json')).epoch, 1);
  });

  itOnce('leaves dumps that have the URIs of before, which are said to be outdated', async () => {
    mkdirSync(join(place.folder, 'files'));
    writeFileSync(join(place.folder, 'files/a'), 'a');
    await done(`sets add s --root files --keep-versions --url-prefix ${ONE}`);
    await done('scan s');
    await done('dumps build s');
    assert.match(await done('dumps list s'), /^PACKAGE/);

    await done(`sets move s ${NEXT} --confirm-move`);
    const { stderr } = await place.run(['dumps', 'list', 's']);
    assert.match(stderr, /"s" has no Resource Dump since its URIs changed, or .*: ".*dumps build s" builds one/);
    await done('dumps build s');
    assert.match(await done('dumps list s'), /^PACKAGE/);
  });

  itOnce('refuses a prefix below which a URI would have more than 2,048 characters, and changes nothing', async () => {
    await done(`sets add s --url-prefix ${ONE}`);
    await post({ value: 'x'.repeat(1990), type: 'rel_path', length: 1 });

    const longer = `https://example.org/${'y'.repeat(60)}/`;
    const { stderr, exitCode } = await place.run(['sets', 'move', 's', longer, '--confirm-move']);
    assert.match(stderr, /1 of the resources of s would have URIs with fewer than 12 or more than 2,048 characters/);
    assert.equal(exitCode, 2);
    assert.match(await done('sets show s'), /urlPrefix +https:\/\/one\.example\.org\/p\/\n/);
  });

  itOnce('refuses a prefix below which the URI of a link would be too long', async () => {
    await done(`sets add s --url-prefix ${ONE}`);
    const href = { value: 'x'.repeat(1990), type: 'rel_path' };
    await post({ value: 'a', type: 'rel_path', length: 1, ln: [{ rel: 'describes', href }] });

    const longer = `https://example.org/${'y'.repeat(60)}/`;
    const { stderr, exitCode } = await place.run(['sets', 'move', 's', longer, '--confirm-move']);
    assert.match(stderr, /1 of the resources of s would have .* those of links, such as \/a:/);
    assert.equal(exitCode, 2);
  });

  itOnce('refuses a base URL that makes URIs too long also when it is confirmed, and says which', async () => {
    const before = `http://localhost:${await findFreePort()}`;
    await done(`sets add s --root ${place.folder} --base-url ${before}`);
    await post({ value: 'x'.repeat(1990), type: 'rel_path', length: 1 });

    const longer = `${before}/${'y'.repeat(60)}`;
    const port = String(await findFreePort());
    const { stderr, exitCode } = await place.run(['serve', '--base-url', longer, '--confirm-move', '--port', port]);
    assert.match(stderr, /1 of the resources of s would have URIs with fewer than 12 or more than 2,048 characters/);
    assert.equal(exitCode, 2);
    assert.match(await done('sets show s'), new RegExp(`urlPrefix +${before}/sets/s/resources/\n`));
  });

  /** Starts a server, and reads its lists. */
  async function serve(): Promise<SetReader> {
    const port = await findFreePort();
    const env = { TIDEMARK_BASE_URL: 'http://localhost:9999' };
    const serving = place.start(['serve', '--port', String(port), '--host', '127.0.0.1'], { env });
    await serving.says(/Serving/);
    return new SetReader('http://localhost:9999/sets/s/', `http://127.0.0.1:${port}`);
  }

  /** Lengths by the names of the resources below the prefix. */
  async function listed(lists: SetReader): Promise<Record<string, number | undefined>> {
    const { resources } = await lists.resourceList();
    const below = [...resources.values()].filter(({ uri }) => uri.startsWith(NEXT));
    return Object.fromEntries(below.map(({ uri, length }) => [uri.slice(NEXT.length), length]));
  }

  async function post(...resources: readonly Posted[]): Promise<{ readonly applied: number }> {
    const lines = resources.map(({ value, type = 'url', length, ln }) =>
      JSON.stringify({ location: { value, type }, change: length === undefined ? 'deleted' : 'updated', length, ln }),
    );
    const { exitCode, stdout, stderr } = await place.run(['changes', 'post', 's', '-', '--json'], {
      input: lines.join('\n'),
    });
    assert.equal(exitCode, 0, stderr);
    return { applied: JSON.parse(stdout).applied };
  }

  async function done(args: string): Promise<string> {
    const { exitCode, stdout, stderr } = await place.run(args.split(' '));
    assert.equal(exitCode, 0, stdout + stderr);
    return stdout;
  }
});
