import assert from 'node:assert/strict';
import { mkdir, rm, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import fc from 'fast-check';
import type { ResourceSet } from '../../src/core/resource-set.ts';
import { setLinksOf } from '../../src/core/set-links.ts';
import { originOfRoot } from '../../src/core/stored-set.ts';
import { LinkedSets } from '../../src/ingest/linked-sets.ts';
import { Updater } from '../../src/ingest/updater.ts';
import type { EventPoster } from '../../src/stores/event-poster.ts';
import { openStores } from '../../src/stores/open-stores.ts';
import { ask, askJson } from '../support/ask.ts';
import { collect } from '../support/builders.ts';
import { describeOnEachStore } from '../support/each-store.ts';
import { checkSource, linesOf } from '../support/rules/check-source.ts';
import { scan } from '../support/scanned-set.ts';
import { closeApps, makeFolder, type StartedApp, startApp } from '../support/start-app.ts';

const RULE = '*.xml describes *.tif';

describeOnEachStore('Links by rules of a set', (store, itOnce) => {
  let started: StartedApp;
  let root: string;
  let set: ResourceSet;
  let closeOther: (() => Promise<void>) | undefined;

  beforeEach(async () => {
    started = await startApp(store);
    root = await makeFolder(started, 'maps');
  });

  afterEach(async () => {
    await closeOther?.();
    closeOther = undefined;
    await closeApps();
  });

  async function addSet(...linkRules: readonly string[]): Promise<void> {
    set = await started.app.sets.add({ slug: 'maps', origin: originOfRoot(root), linkRules });
    await sync();
    await started.app.sets.markReady('maps');
  }

  async function write(path: string, text = path): Promise<void> {
    await mkdir(dirname(join(root, path)), { recursive: true });
    await writeFile(join(root, path), text);
  }

  async function sync(): Promise<void> {
    const { app } = started;
    set = await app.sets.bySlug('maps');
    await scan({ ...app.sources.rootOf(set), set, index: app.index, updater: app.linked.posterOf(set) });
  }

  async function read(name: string): Promise<string> {
    return (await ask(`${started.url}/sets/maps/${name}`)).text.replaceAll(`${started.url}/sets/maps/resources/`, '');
  }

  /** The links of each entry, without their types. */
  const linksIn = (text: string) =>
    [...text.matchAll(/<url><loc>([^<]*)<.*?<\/url>/g)].map(([entry, loc]) => {
      const links = [...entry.matchAll(/<rs:ln rel="([^"]*)" href="([^"]*)"/g)].map(
        ([, rel, href]) => `${rel} ${href}`,
      );
      const [, change] = /change="(\w*)"/.exec(entry) ?? [];
      return [...(change === undefined ? [] : [change]), loc, ...links].join(' ');
    });

  const DESCRIBED = ['a.tif describedby a.xml', 'a.xml describes a.tif'];

  it('appear and vanish with the files that they lead to, in the same commit', async () => {
    await write('a.tif');
    await addSet(RULE);
    assert.deepEqual(linksIn(await read('resourcelist.xml')), ['a.tif']);
    await write('a.xml');
    await sync();
    assert.deepEqual(linksIn(await read('resourcelist.xml')), DESCRIBED);
    await rm(join(root, 'a.xml'));
    await sync();
    assert.deepEqual(linksIn(await read('resourcelist.xml')), ['a.tif']);
    const changes = linksIn(await read('changelist.xml'));
    // A file that is as young as these is compared again, so its change may be the first of its commit.
    assert.deepEqual(
      [changes[0], changes.slice(1, 3).sort(), changes.slice(3)],
      [
        'created a.tif',
        ['created a.xml describes a.tif', 'updated a.tif describedby a.xml'],
        ['deleted a.xml', 'updated a.tif'],
      ],
    );
    // Nothing is left to do.
    await sync();
    assert.equal(linksIn(await read('changelist.xml')).length, 5);
  });

  itOnce('follow changes of the rules, over the API too', async () => {
    await write('a.tif');
    await write('a.xml');
    await addSet(RULE, 'duplicate https://mirror.example.org/{path} pri=1');
    const duplicates = ['a.tif', 'a.xml'].map((path) => `duplicate https://mirror.example.org/${path}`);
    assert.deepEqual(
      linksIn(await read('resourcelist.xml')),
      DESCRIBED.map((entry, at) => `${entry} ${duplicates[at]}`),
    );
    const patch = async (links: readonly string[] | null) => {
      const { status } = await ask(`${started.url}/api/sets/maps`, {
        method: 'PATCH',
        headers: { 'Content-Type': 'application/json' },
        body: JSON.stringify({ links }),
      });
      assert.equal(status, 200);
      // As after a sync that has found nothing else.
      await started.app.linked.posterOf(await started.app.sets.bySlug('maps')).relinkAll();
    };
    await patch(['via https://origin.example.org/{path}']);
    assert.deepEqual(linksIn(await read('resourcelist.xml')), [
      'a.tif via https://origin.example.org/a.tif',
      'a.xml via https://origin.example.org/a.xml',
    ]);
    await patch(['via https://origin.example.org/{path}', '*.xml collection https://example.org/all']);
    assert.match(await read('resourcelist.xml'), /a\.xml.*collection/);
    await patch(null);
    assert.deepEqual(linksIn(await read('resourcelist.xml')), ['a.tif', 'a.xml']);
  });

  itOnce('are made for posted events as well, which keep their links of other relations', async () => {
    await write('a.xml');
    await addSet(RULE);
    await write('a.tif');
    const ln = ['describedby', 'license'].map((rel) => ({ rel, href: { value: 'https://example.org/', type: 'url' } }));
    const post = (change: string, value: string) =>
      askJson(`${started.url}/api/sets/maps/changes`, {
        changes: [{ location: { value, type: 'rel_path' }, change, ...(change !== 'deleted' && { ln }) }],
      });
    const { body } = await post('created', 'a.tif');
    assert.deepEqual([body.applied, body.results.length], [1, 1]);
    assert.deepEqual(linksIn(await read('resourcelist.xml')), [
      'a.tif license https://example.org/ describedby a.xml',
      'a.xml describes a.tif',
    ]);
    await post('deleted', 'a.xml');
    assert.deepEqual(linksIn(await read('resourcelist.xml')), ['a.tif license https://example.org/']);
  });

  itOnce('obey the rules of ResourceSync as a whole', async () => {
    for (const name of ['a', 'b', 'deep/c d']) for (const end of ['tif', 'xml', 'pdf']) await write(`${name}.${end}`);
    await addSet(
      ...[RULE, '*.tif alternate *.pdf', '*.xml profile https://example.org/dublin-core'],
      ...['*.tif canonical https://example.org/{stem}', 'duplicate https://mirror.example.org/{path} pri=1'],
      ...['collection https://example.org/all', 'via https://origin.example.org/{path}'],
    );
    assert.deepEqual(linesOf(await checkSource(`${started.url}/`)), []);
    assert.match(
      await read('resourcelist.xml'),
      /deep\/c%20d\.tif.*describedby" href="deep\/c%20d\.xml" type="[a-z/]*xml"/,
    );
  });

  it('are those that the rules say, whatever is created and deleted in whatever order', async () => {
    const paths = ['a.tif', 'a.xml', 'a.pdf', 'b.tif', 'b.xml', 'b.pdf'];
    await addSet(RULE, '*.tif alternate *.pdf');
    const poster = started.app.linked.posterOf(set);
    const event = fc.record({ path: fc.constantFrom(...paths), length: fc.option(fc.nat(3), { nil: undefined }) });
    await fc.assert(
      fc.asyncProperty(fc.array(fc.array(event, { minLength: 1, maxLength: 4 }), { maxLength: 4 }), async (calls) => {
        await Promise.all(
          calls.map((events) =>
            poster.post(
              events.map(({ path, length }) => ({
                set: set.id,
                key: `/${path}`,
                state: length === undefined ? undefined : { length, mime: `a/b${length}` },
                weight: 1,
              })),
            ),
          ),
        );
        const resources = await collect(started.app.index.read(set.id, {}));
        const states = new Map(resources.map(({ key, state }) => [key, state]));
        for (const [key, state] of states) {
          const wanted = setLinksOf(set).linksOf(key, state, { stateOf: (other) => states.get(other) });
          assert.deepEqual(state.links ?? [], wanted, key);
        }
      }),
      { numRuns: store.kind === 'sqlite' ? 40 : 5 },
    );
  });

  it('are right when two servers post at the same time, and neither takes back what the other has written', async () => {
    const paths = ['a.tif', 'a.xml', 'a.pdf', 'b.tif', 'b.xml'];
    await addSet(RULE, '*.tif alternate *.pdf');
    const { app } = started;
    const stores = await openStores(app.configuration.store);
    closeOther = stores.close;
    const updater = new Updater(stores.index);
    const posters = [app.linked, new LinkedSets({ ...stores, updater })].map((linked) => linked.posterOf(set));
    let length = 0;
    const post = async (poster: EventPoster, path: string, isDeleted: boolean) => {
      // Each version of a resource is another one.
      const state = isDeleted ? undefined : { length: ++length, mime: `a/b${length % 3}` };
      await poster.post([{ set: set.id, key: `/${path}`, state, weight: 1 }]);
    };
    const event = fc.tuple(fc.constantFrom(...paths), fc.constantFrom(false, false, true));
    await fc.assert(
      fc.asyncProperty(fc.array(event, { maxLength: 8 }), fc.array(event, { maxLength: 8 }), async (...calls) => {
        const inOrder = async (poster: EventPoster, events: readonly [string, boolean][]) => {
          for (const [path, isDeleted] of events) await post(poster, path, isDeleted);
        };
        await Promise.all(posters.map((poster, at) => inOrder(poster, calls[at]!)));
        const resources = await collect(app.index.read(set.id, {}));
        const states = new Map(resources.map(({ key, state }) => [key, state]));
        for (const [key, state] of states) {
          const wanted = setLinksOf(set).linksOf(key, state, { stateOf: (other) => states.get(other) });
          assert.deepEqual(state.links ?? [], wanted, key);
        }
      }),
      { numRuns: store.kind === 'sqlite' ? 40 : 5 },
    );
    const changes = await collect(app.index.changes(set.id, { after: 0 }));
    for (const path of paths) {
      const versions = changes.filter(({ key }) => key === `/${path}`).map(({ state }) => state?.length);
      const runs = versions.filter((version, at) => version !== undefined && version !== versions[at - 1]);
      assert.equal(new Set(runs).size, runs.length, `${path} is what it was before: ${versions}`);
    }
    await updater.idle();
  });

  itOnce('that are wrong are refused, with the place of the fault', async () => {
    await addSet();
    const { status, text } = await ask(`${started.url}/api/sets/maps`, {
      method: 'PATCH',
      headers: { 'Content-Type': 'application/json' },
      body: JSON.stringify({ links: ['*.xml explains *.tif'] }),
    });
    assert.deepEqual(
      [status, JSON.parse(text).error.message.slice(0, 50)],
      [400, 'link rule "*.xml explains *.tif", character 7: "ex'],
    );
  });
});
