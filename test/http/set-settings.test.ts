import assert from 'node:assert/strict';
import { Secret } from '../../src/config/secret.ts';
import { originOfRoot } from '../../src/core/stored-set.ts';
import { ask, askJson, JSON_BODY } from '../support/ask.ts';
import { describeOnEachStore } from '../support/each-store.ts';
import { Follower } from '../support/follower.ts';
import { SetReader } from '../support/set-reader.ts';
import { closeApps, type StartedApp, startApp } from '../support/start-app.ts';
import { pageAt } from '../support/web-source.ts';

const MD5 = 'd41d8cd98f00b204e9800998ecf8427e';
const SHA256 = 'e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855';

describeOnEachStore('Settings of a set', (store, itOnce) => {
  let started: StartedApp;
  /** A set of its own for each test. */
  let slug: string;
  let set: string;
  let tests = 0;
  before(async () => {
    started = await startApp(store);
  });
  after(closeApps);
  beforeEach(async () => {
    slug = `papers${++tests}`;
    await started.app.sets.add({ slug, urlPrefix: 'https://data.example.org/papers/', pageEntries: 4 });
    set = `${started.url}/sets/${slug}/`;
    await post('a', 'b', 'c', 'd', 'e', 'f', 'g', 'h', 'i');
  });

  const reader = () => new SetReader(set);

  itOnce('give the Resource List other pages, of which followers notice nothing', async () => {
    const follower = await Follower.start(reader());
    const before = await index();
    for (const pageSize of [2, 5, null]) {
      await change({ pageSize });
      const { at, resources, pages } = await reader().resourceList();
      assert.equal(pages, { 2: 5, 5: 2, null: 1 }[String(pageSize)]);
      assert.equal(at, follower.baseline.at);
      assert.deepEqual([...resources], [...follower.baseline.resources]);
    }
    assert.equal(await follower.step(), 0);
    // A client that has read the first index finds every page of it.
    for (const name of before.text.match(/resourcelist-[\d-]+\.xml/g)!) {
      assert.equal((await ask(set + name)).status, 200, name);
    }
    await post('b', 'j');
    assert.equal(await follower.step(), 2);
    assert.deepEqual([...follower.copy], [...(await reader().resourceList()).resources]);
  });

  itOnce('make another document of the index, with another ETag and a later date', async () => {
    const { publisher } = started.app.publishing;
    const [before, { newest }] = [await index(), await publisher.setDocument({ kind: 'resourceList', set: slug })];
    await change({ pageSize: 3 });
    const after = await index({ 'If-None-Match': before.headers.etag! });
    assert.equal(after.status, 200);
    assert.equal((await index({ 'If-None-Match': after.headers.etag! })).status, 304);
    // Last-Modified has whole seconds only.
    assert.ok((await publisher.setDocument({ kind: 'resourceList', set: slug })).newest > newest);
  });

  itOnce('show published hashes that were posted before, and leave closed Change Lists as they are', async () => {
    await change({ windowSize: 9 });
    await post('z');
    const withMd5 = new RegExp(`hash="sha-256:${SHA256} md5:${MD5}"`);
    const closed = async (): Promise<readonly unknown[]> => {
      const { body } = await askJson(`${started.url}/api/sets/${slug}/changes?limit=10`);
      const until = encodeURIComponent(body.changes.at(-2).datetime);
      const names = ['changelist-1-00000001.xml', `changelist.xml?until=${until}`];
      const answers = await Promise.all(names.map((name) => ask(set + name)));
      return answers.map(({ status, text, headers }) => [status, text, headers.etag]);
    };
    const first = await closed();
    for (const publishHashes of [['md5'], null, ['md5']]) {
      await change({ publishHashes });
      for (const name of [
        'resourcelist-1-00000001.xml',
        'changelist-1-00000002.xml',
        'changelist.xml?from=2020-01-01T00:00:00Z',
      ]) {
        const { status, text } = await ask(set + name);
        assert.deepEqual([status, withMd5.test(text)], [200, publishHashes !== null], name);
      }
      assert.deepEqual(await closed(), first);
    }
    // A list that is closed later has the hashes of its time.
    await post(...'abcdefgh');
    await post('y');
    const later = (await ask(`${set}changelist-1-00000002.xml`)).text;
    assert.match(later, withMd5);
    await change({ publishHashes: null });
    assert.equal((await ask(`${set}changelist-1-00000002.xml`)).text, later);
  });

  it('close a Change List that is full now, at the next change, and leave closed ones as they are', async () => {
    const follower = await Follower.start(reader());
    const read = reader();
    for (const windowSize of [3, 2, null]) {
      await change({ windowSize });
      await post('x', 'y', 'z', 'v', 'w');
      await remove('x', 'y', 'z', 'v', 'w');
      await follower.step();
      await read.changeWindows();
      await read.requireClosedUnchanged();
    }
    assert.equal(follower.applied, 30);
    assert.deepEqual([...follower.copy], [...(await reader().resourceList()).resources]);
  });

  itOnce('resolve absolute paths as soon as there is a folder for them', async () => {
    const changes = [{ location: { value: '/srv/papers/a', type: 'abs_path' }, change: 'deleted' }];
    const url = `${started.url}/api/sets/${slug}/changes`;
    assert.equal((await askJson(url, { changes })).body.rejected, 1);
    await change({ resourceRootDir: '/srv/papers' });
    assert.equal((await askJson(url, { changes })).body.applied, 1);
  });

  itOnce('are shown and refused by name', async () => {
    const shown = await change({ title: 'Papers', exclude: [], private: true });
    assert.deepEqual([shown.title, shown.private, shown.pageSize, shown.windowSize], ['Papers', true, 4, 50_000]);
    assert.equal((await askJson(`${started.url}/api/sets/${slug}`)).body.pageSize, 4);
    assert.match(await pageAt(`${set}settings`), /name="pageSize"[^>]* value="4"/);
    assert.equal((await change({ title: null, private: null })).title, undefined);
    for (const [settings, message] of [
      [{ pageSize: 0 }, /pageSize is wrong: use a whole number from 1 to 50000/],
      [{ title: 't'.repeat(501) }, /title is wrong: it is longer than 500 characters/],
      [{ title: 'a\u0001b' }, /title is wrong: it has a control character/],
      [{ title: 'a\ud800b' }, /title is wrong: it has a lone surrogate/],
      [{ archiveDays: 0 }, /archiveDays is wrong: use 1 day or more/],
      [{ pagesize: 4 }, /there is no field "pagesize" here: did you mean "pageSize"\?/],
      [{ root: '/srv' }, /there is no field "root" here: there are /],
      [{ resourceRootDir: 'papers' }, /"papers" is not an absolute path/],
      [{ exclude: ['*'.repeat(40_000)] }, /the patterns with wildcards have 40000 characters, at most 32768/],
      [{ exclude: ['[[:digits:]]*'] }, /a pattern has the unknown class \[:digits:\]: the classes are alnum/],
      [{ exclude: ['*.tmp'] }, /--exclude goes with --root or --from/],
      [{ presignedSeconds: 60 }, /goes with a root on S3/],
      [{ publishHashes: ['crc32'] }, /use one of sha-256, sha-1, md5/],
    ] as const) {
      const { status, text } = await patch(settings);
      assert.equal(status, 400);
      assert.match(JSON.parse(text).error.message, message);
    }
  });

  itOnce('are for administrators', async () => {
    const closed = await startApp(store, { token: new Secret('open-sesame') });
    await closed.app.sets.add({ slug: 'papers', origin: originOfRoot(closed.folder) });
    const url = `${closed.url}/api/sets/papers`;
    const { body } = await askJson(url);
    assert.equal(body.root, undefined);
    assert.equal((await ask(url, { method: 'PATCH', body: '{"title":"x"}', headers: JSON_BODY })).status, 401);
    assert.equal((await askJson(url, undefined, { Authorization: 'Bearer open-sesame' })).body.root, closed.folder);
    assert.doesNotMatch(await pageAt(`${closed.url}/sets/papers/`), /resourceRootDir/);
  });

  function patch(settings: object) {
    const question = { method: 'PATCH', body: JSON.stringify(settings), headers: JSON_BODY };
    return ask(`${started.url}/api/sets/${slug}`, question);
  }

  async function change(settings: object) {
    const { status, text } = await patch(settings);
    assert.equal(status, 200, text);
    return JSON.parse(text);
  }

  function index(headers: Readonly<Record<string, string>> = {}) {
    return ask(`${set}resourcelist.xml`, { headers });
  }

  async function postAll(kind: string, names: readonly string[]): Promise<void> {
    const changes = names.map((value) => ({
      location: { value, type: 'rel_path' },
      change: kind,
      ...(kind === 'deleted'
        ? {}
        : { hash: `md5:${MD5} sha-256:${SHA256}`, lastmod: '2026-01-31T12:00:00Z', length: value.length + posted++ }),
    }));
    const { body } = await askJson(`${started.url}/api/sets/${slug}/changes`, { changes });
    assert.equal(body.applied, names.length, JSON.stringify(body));
  }

  let posted = 0;
  const post = (...names: string[]) => postAll('updated', names);
  const remove = (...names: string[]) => postAll('deleted', names);
});
