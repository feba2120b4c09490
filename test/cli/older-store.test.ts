import assert from 'node:assert/strict';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import { type App, openApp } from '../../src/app.ts';
import { verify } from '../../src/backup/verify/verify.ts';
import { publishedOf } from '../../src/cli/commands/verify-set.ts';
import { startServer } from '../../src/http/server/server.ts';
import { ask } from '../support/ask.ts';
import { describeOnEachStore, type StorePlace } from '../support/each-store.ts';
import { jsonLines } from '../support/json-lines.ts';
import { documentsOfOlderStore, type OlderCommit, placeOlderStore } from '../support/older-store.ts';
import { parseDocument, type XmlElement } from '../support/parse-document.ts';
import type { RunOptions } from '../support/run-tidemark.ts';
import { testConfiguration } from '../support/start-app.ts';
import { Workplace } from '../support/workplace.ts';

describeOnEachStore('A store that an earlier commit has written', (store, itOnce) => {
  let place: Workplace;
  for (const commit of ['362106f', '12b89343'] as const) {
    describe(`that of ${commit}, migrated`, () => {
      // Once for all its tests, of which the last ones change it: to restore it takes longer than they do.
      before(async () => {
        place = await Workplace.make(store);
        await placeOlderStore(commit, place.store, place.folder);
        if (commit === '362106f') await requireMigration();
        else await done('migrate');
      });
      after(() => place.close());
      testsOf(commit);
    });
  }

  /** It is refused until it is migrated. */
  async function requireMigration(): Promise<void> {
    const refused = await place.run(['verify', 'maps']);
    assert.equal(refused.exitCode, 3, refused.stderr);
    assert.match(refused.stderr, /schema (version )?2, .* "tidemark migrate"/);
    const { from, to } = await done('migrate');
    assert.deepEqual([from, to > from], [2, true]);
    assert.deepEqual(await done('migrate'), { from: to, to });
  }

  function testsOf(commit: OlderCommit): void {
    it('has no difference', () =>
      opened(place.store, 'data', async (app) => {
        const published = publishedOf(app, await app.sets.source());
        for (const set of await app.sets.list()) {
          const report = await verify({ set, index: app.index, published });
          assert.ok(report.differences.total === 0 && report.published!.documents > 0, set.slug);
        }
      }));

    it('serves the entries that it served then', async () => {
      const before = entriesOf(documentsOfOlderStore(place.folder));
      assert.ok(before.size > 25);
      assert.deepEqual(entriesAsIn(before, await served(place.store, before.keys())), before);
    });

    itOnce('is rebuilt from the archive of then', async () => {
      const before = entriesOf(documentsOfOlderStore(place.folder));
      await withRebuiltStore('rebuilt', async (rebuilt) => {
        assert.deepEqual(entriesAsIn(before, await served(rebuilt, before.keys(), 'rebuilt')), before);
      });
    });

    if (commit === '12b89343') it('has its organizations, uploads, errata, dumps, and runs of activities', hasRecords);

    it('takes further events, compares its sources as before, and is rebuilt from its archive', async () => {
      const before = await changesOf('maps');
      const event = { location: { value: 'sheet 94.tiff', type: 'rel_path' }, change: 'updated', source: 'catalogue' };
      const events = [{ ...event, position: 47 }, event];
      const input = events.map((event) => JSON.stringify(event)).join('\n');
      const { applied, unchanged } = await done('changes post maps', { input });
      assert.deepEqual([applied, unchanged], [1, 1]);
      const after = await changesOf('maps');
      assert.deepEqual(after.slice(0, -1), before);
      assert.ok(after.at(-1)!.datetime > before.at(-1)!.datetime);

      const { created, updated, deleted } = await done('scan files');
      assert.deepEqual([created, updated, deleted], [0, 0, 0]);
      assert.equal((await done('scan cdl')).compared, false);
      for (const set of ['files', 'cdl']) assert.equal((await done(`verify ${set} --root`)).equal, true);

      await done('archive');
      const paths = [...documentsOfOlderStore(place.folder).keys()];
      await withRebuiltStore('again', async (rebuilt) => {
        assert.deepEqual(await served(rebuilt, paths, 'again'), await served(place.store, paths));
      });
    });
  }

  async function hasRecords(): Promise<void> {
    const { uploads } = await done('uploads list lane');
    const totals = uploads.map(({ number, status, totals: { records, errors } }: ListedUpload) => [
      ...[number, status, records, errors],
    ]);
    assert.deepEqual(totals, [
      [3, 'processed', 0, 0],
      [2, 'processed', 6, 0],
      [1, 'processed', 8, 1],
    ]);
    const { stdout: errata } = await place.run(['uploads', 'errors', 'lane/main/1', '--json']);
    assert.match(errata, /"ordinal":9,/);
    const { dumps } = await done('streams dumps lane');
    assert.deepEqual(
      dumps.map(({ kind, totals }: { readonly kind: string; readonly totals: object }) => ({ kind, ...totals })),
      [
        { kind: 'full', records: 8, deletions: 0, errata: 1 },
        { kind: 'delta', records: 4, deletions: 0, errata: 0 },
      ],
    );
    assert.equal((await done('organizations show closed')).private, true);

    // The next delta follows the one of then; the next mapping compares itself with the one of then.
    assert.deepEqual((await done('streams dump lane --delta')).dumps, []);
    writeFileSync(join(place.folder, 'all.js'), 'export default ({ id, document }) => ({ id, document });');
    const { written, previous, drop } = await done('activity run mapping cdl --transform all.js');
    assert.deepEqual([written, previous.written, drop], [3, 2, 0]);
    assert.deepEqual((await done('scan mapped')).created, 1);
  }

  async function done(command: string, options: Omit<RunOptions, 'cwd'> = {}) {
    const { exitCode, stdout, stderr } = await place.run([...command.split(' '), '--json'], options);
    assert.equal(exitCode, 0, `${command}: ${stdout}${stderr}`);
    return JSON.parse(stdout);
  }

  async function changesOf(set: string): Promise<readonly { readonly datetime: string }[]> {
    const { stdout } = await place.run(['changes', 'list', set, '--json']);
    return jsonLines(stdout);
  }

  /** What a server of a store responds with, by path. @param data its data folder: that of the older store */
  async function served(of: StorePlace, paths: Iterable<string>, data = 'data'): Promise<ReadonlyMap<string, string>> {
    const documents = new Map<string, string>();
    await opened(of, data, async (app) => {
      const server = await startServer(app, { host: '127.0.0.1', port: 0 });
      for (const path of paths) documents.set(path, (await ask(server.url + path)).text);
      await server.close();
    });
    return documents;
  }

  async function opened({ location }: StorePlace, data: string, use: (app: App) => Promise<void>): Promise<void> {
    const app = await openApp(testConfiguration(join(place.folder, data), { store: location }));
    await use(app).finally(() => app.close());
  }

  /** @param folder of its own, which has nothing yet */
  async function withRebuiltStore(folder: string, use: (rebuilt: StorePlace) => Promise<void>): Promise<void> {
    const empty = store.place(join(place.folder, folder));
    mkdirSync(join(place.folder, folder));
    const rebuild = async () => {
      await done('rebuild', { env: empty.environment });
      await use(empty);
    };
    await rebuild().finally(() => empty.dispose());
  }
});

interface ListedUpload {
  readonly number: number;
  readonly status: string;
  readonly totals: { readonly records: number; readonly errors: number };
}

type Entries = ReadonlyMap<string, readonly XmlElement[]>;

/** What each list says of itself and of its entries. */
function entriesOf(documents: ReadonlyMap<string, string>): Entries {
  return new Map([...documents].map(([path, text]) => [path, parseDocument(path, text).root.children]));
}

/** The same without what this program links to beyond those of then: documents that are published since. */
function entriesAsIn(before: Entries, documents: ReadonlyMap<string, string>): Entries {
  const entries = [...entriesOf(documents)].map(([path, children]) => {
    const known = before.get(path)!;
    const mayBeNew = ({ name }: XmlElement) => name === 'rs:ln' || path.endsWith('/capabilitylist.xml');
    return [path, children.filter((child) => !mayBeNew(child) || known.some((one) => isDeepStrictEqual(one, child)))];
  });
  return new Map(entries as [string, XmlElement[]][]);
}
