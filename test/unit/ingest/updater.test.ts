import assert from 'node:assert/strict';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { ChangeEvent } from '../../../src/core/change.ts';
import { MAX_ENTRIES_WEIGHT, type ResourceSet } from '../../../src/core/resource-set.ts';
import { postNdjson } from '../../../src/ingest/ndjson-posting.ts';
import { openPosting } from '../../../src/ingest/posting.ts';
import { Updater } from '../../../src/ingest/updater.ts';
import { SetRegistry } from '../../../src/sets/set-registry.ts';
import type { EventPoster } from '../../../src/stores/event-poster.ts';
import { openStores, type Stores } from '../../../src/stores/open-stores.ts';
import { URL_PREFIX } from '../../support/builders.ts';

const MEGABYTE = 1024 * 1024;

describe('What is posted', () => {
  let folder: string;
  let stores: Stores;
  let set: ResourceSet;
  let updater: Updater;
  /** Megabytes that the entries of each commit weigh. */
  let commits: number[];

  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'tidemark-'));
    stores = await openStores({ kind: 'sqlite', file: join(folder, 'tidemark.db') });
    const { index, catalog } = stores;
    const sets = new SetRegistry(catalog, index);
    await sets.useBaseUrl('http://localhost:8080', false);
    set = await sets.add({ slug: 'papers', urlPrefix: URL_PREFIX });
    commits = [];
    const commit = index.commit.bind(index);
    index.commit = (events) => {
      commits.push(events.reduce((sum, { weight }) => sum + weight, 0) / MEGABYTE);
      return commit(events);
    };
    updater = new Updater(index);
  });

  afterEach(async () => {
    await stores.close();
    await rm(folder, { recursive: true });
  });

  it('is gathered into commits that a store takes in one request', async () => {
    const heavy = (weight: number, at: number): ChangeEvent => {
      return { set: set.id, key: `/${at}`, state: {}, weight: weight * MEGABYTE };
    };
    const posted = [20, 10, 10, 40, 1].map((weight, at) => updater.post([heavy(weight, at)]));
    const results = (await Promise.all(posted)).flat();
    assert.deepEqual(commits, [30, 10, 40, 1]);
    assert.ok(results.every(({ status }) => status === 'applied'));
  });

  it('later is committed when nothing else waits, or was for long', async () => {
    let now = 0;
    const updater = new Updater(stores.index, () => now);
    const order: string[] = [];
    const post = (name: string, poster: EventPoster) =>
      poster.post([{ set: set.id, key: `/${name}`, state: {}, weight: 1 }]).then(() => order.push(name));
    // Nothing else waits.
    await post('later 1', updater.later);
    await Promise.all([post('later 2', updater.later), post('a', updater), post('later 3', updater.later)]);
    now += 1_000;
    await Promise.all([post('b', updater), post('later 4', updater.later)]);
    assert.deepEqual(order, ['later 1', 'a', 'later 2', 'later 3', 'later 4', 'b']);
  });

  it('later is committed now and then while others post without an end', async () => {
    let isDone = false;
    const later = Promise.all(
      Array.from({ length: 3 }, async (_, at) => {
        await updater.later.post([{ set: set.id, key: `/later-${at}`, state: {}, weight: MAX_ENTRIES_WEIGHT }]);
      }),
    ).then(() => {
      isDone = true;
    });
    let count = 0;
    const postOn = async () => {
      while (!isDone) await updater.post([{ set: set.id, key: `/${count++}`, state: {}, weight: 1 }]);
    };
    await Promise.all([later, postOn(), postOn(), postOn()]);
  });

  it('as a stream of large events comes in small batches @long', async () => {
    const ln = Array.from({ length: 1_000 }, (_, number) => ({
      rel: 'describes',
      href: { type: 'url', value: `https://objects.example.org/${number}/${'x'.repeat(700)}` },
    }));
    const line = (number: number) =>
      `${JSON.stringify({ location: { type: 'rel_path', value: `${number}` }, change: 'created', ln })}\n`;
    const input = (async function* () {
      for (let number = 0; number < 60; number++) yield Buffer.from(line(number));
    })();
    let applied = 0;
    for await (const batch of postNdjson(input, await openPosting(set, { updater, servedSourceOf: () => undefined }))) {
      applied += batch.filter(({ result }) => result.status === 'applied').length;
    }
    assert.equal(applied, 60);
    assert.ok(Math.max(...commits) <= 33, `commits of ${commits} megabytes`);
  });
});
