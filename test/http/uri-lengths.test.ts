import assert from 'node:assert/strict';
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { FolderStore } from '../../src/artifacts/folder/folder-store.ts';
import { uriOf } from '../../src/core/key.ts';
import { originOfRoot } from '../../src/core/stored-set.ts';
import { pathProblem } from '../../src/sources/name-problem.ts';
import { ask, askJson } from '../support/ask.ts';
import { collect } from '../support/builders.ts';
import { SQLITE } from '../support/each-store.ts';
import { putArtifact, record } from '../support/record-artifacts.ts';
import { RecordsProcess } from '../support/record-set.ts';
import { rootOf, useBucket, useKeys, useS3 } from '../support/s3.ts';
import { scan } from '../support/scanned-set.ts';
import { closeApps, makeFolder, type StartedApp, startApp } from '../support/start-app.ts';
import { useTempFolder } from '../support/temp-folder.ts';

const SHORT = 'http://a/';
/** With 100 characters more, a URI is as long as it may be. */
const LONG = `http://a/${'p'.repeat(2048 - 100 - 'http://a/'.length - 1)}/`;
const LEAST = {
  prefix: SHORT,
  taken: 'bbb',
  refused: 'bb',
  code: 'uri-too-short',
  problem: '11 characters; at least 12',
};
const MOST = {
  prefix: LONG,
  taken: 'm'.repeat(100),
  refused: 'm'.repeat(101),
  code: 'uri-too-long',
  problem: '2049 characters; at most 2048',
};

describe('URIs of 12 to 2,048 characters, and no others except links that are shorter,', () => {
  let started: StartedApp;
  before(async () => {
    started = await startApp(SQLITE);
  });
  after(closeApps);

  let sets = 0;
  const nextSlug = () => `set-${++sets}`;

  async function lengthsIn(slug: string): Promise<readonly number[]> {
    const { app } = started;
    const { id, urlPrefix } = await app.sets.bySlug(slug);
    return (await collect(app.index.read(id, {}))).map(({ key }) => uriOf(urlPrefix, key).length);
  }

  for (const { prefix, taken, refused, code, problem } of [LEAST, MOST]) {
    const length = prefix.length + taken.length;

    it(`are taken when they are posted: ${length} characters, and not one more or less`, async () => {
      const slug = nextSlug();
      await started.app.sets.add({ slug, urlPrefix: prefix, resourceRootDir: '/data' });
      const at = (name: string, type: string) => {
        return { value: type === 'url' ? prefix + name : type === 'abs_path' ? `/data/${name}` : name, type };
      };
      const other = `http://b/${'x'.repeat(50)}`;
      const changes = ['url', 'rel_path', 'abs_path'].flatMap((type) =>
        [taken, refused].flatMap((name) => [
          { location: at(name, type), change: 'created' },
          {
            location: { value: other, type: 'url' },
            change: 'updated',
            ln: [{ rel: 'describedby', href: at(name, type) }],
          },
        ]),
      );
      // The least length is one of `loc` alone (sitemap.xsd).
      const ofLink = code === 'uri-too-short' ? undefined : code;
      const expected = Array(3).fill([undefined, undefined, code, ofLink]).flat();
      const { body } = await askJson(`${started.url}/api/sets/${slug}/changes`, { changes });
      assert.deepEqual(
        (body.results as { code?: string }[]).map(({ code }) => code),
        expected,
      );
      const lines = `${changes.map((change) => JSON.stringify(change)).join('\n')}\n`;
      const headers = { 'content-type': 'application/x-ndjson' };
      const { text } = await ask(`${started.url}/api/sets/${slug}/changes`, { method: 'POST', headers, body: lines });
      const { notApplied } = JSON.parse(text) as { notApplied: { code?: string }[] };
      assert.equal(notApplied.filter((one) => one.code === code).length, ofLink === undefined ? 3 : 6);
      assert.deepEqual(new Set(await lengthsIn(slug)), new Set([length, other.length]));
    });

    it(`are taken when a folder is scanned: ${length} characters, and not one more or less`, async () => {
      const slug = nextSlug();
      const root = await makeFolder(started, slug);
      await mkdir(root, { recursive: true });
      for (const name of [taken, refused]) await writeFile(join(root, name), name);
      const { rootOf } = started.app.sources;
      const { index, updater, sets } = started.app;
      const set = await sets.add({ slug, urlPrefix: prefix, origin: originOfRoot(root) });
      const { problems } = await scan({ ...rootOf(set), set, index, updater });
      assert.deepEqual(problems, [{ path: refused, problem: `its URI would have ${problem}` }]);
      assert.deepEqual(await lengthsIn(slug), [length]);
    });
  }

  describe('of objects', () => {
    const s3 = useS3();
    useKeys(s3);
    const bucket = useBucket(s3);

    it('are taken when a bucket is scanned', async () => {
      const slug = nextSlug();
      // Three times as many characters in a URI as bytes in the key.
      const longest = `${`${'ä'.repeat(113)}/`.repeat(2)}${'ä'.repeat(113)}bbb`;
      for (const name of ['bb', 'bbb', longest, `${longest}b`]) await bucket.put(name, name);
      const { rootOf: openedRoot } = started.app.sources;
      const { index, updater, sets } = started.app;
      const set = await sets.add({ slug, urlPrefix: SHORT, origin: originOfRoot(rootOf(s3, bucket.name)) });
      const { problems } = await scan({ ...openedRoot(set), set, index, updater });
      assert.deepEqual(await lengthsIn(slug), [2048, 12]);
      assert.deepEqual(
        problems.map(({ problem }) => problem),
        [MOST.problem, LEAST.problem].map((problem) => `its URI would have ${problem}`),
      );
    });
  });

  it('may be made of one name, of which only the prefix of the set decides whether it is too long', () => {
    assert.equal(pathProblem(`${'ä'.repeat(339)}bbbbb`), undefined);
  });

  describe('of records', () => {
    const folder = useTempFolder();

    it('are taken when an artifact is compared', async () => {
      for (const { prefix, taken, refused, problem } of [LEAST, MOST]) {
        const artifacts = new FolderStore(folder.at(`artifacts-${prefix.length}`));
        await putArtifact(artifacts, [record(taken), record(refused)], { start: '2026-01-01T00:00:00Z' });
        const place = SQLITE.place(folder.at(`store-${prefix.length}`));
        const process = await RecordsProcess.open(place, artifacts, prefix);
        try {
          const summary = await process.sync();
          assert.deepEqual(summary?.problems, [{ path: `/${refused}`, problem: `its URI would have ${problem}` }]);
          assert.deepEqual([...(await process.resources()).keys()], [taken]);
        } finally {
          await process.close();
        }
      }
    });
  });
});
