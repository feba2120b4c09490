import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { gunzipSync } from 'node:zlib';
import { Secret } from '../../src/config/secret.ts';
import { readMarc21 } from '../../src/records/forms/marc/read-marc21.ts';
import { readMarcXml } from '../../src/records/forms/marc/read-marcxml.ts';
import { sync } from '../../src/sources/sync/sync.ts';
import { ask } from '../support/ask.ts';
import { describeOnEachStore } from '../support/each-store.ts';
import { Catalogue } from '../support/marc-catalogue.ts';
import { field, postForm } from '../support/multipart.ts';
import { parseDocument, type XmlElement } from '../support/parse-document.ts';
import { isRecord, readAll } from '../support/read-marc.ts';
import { closeApps, type StartedApp, startApp } from '../support/start-app.ts';

const ADMINISTRATOR = { Authorization: 'Bearer open-sesame' };
const catalogue = new Catalogue({ seed: 5, bytes: 400 });

interface Entry {
  readonly loc: string;
  readonly lastmod: string;
  readonly md: Readonly<Record<string, string | undefined>>;
}

// Each test asks what a public program asks, and requires what that program relies on.
describeOnEachStore('Programs that read from the POD aggregator', (store, itOnce) => {
  let started: StartedApp;
  /** A reader of every organization. */
  let bearer: Record<string, string>;

  before(async () => {
    started = await startApp(store, { token: new Secret('open-sesame') });
    const { organizations } = started.app.records;
    await organizations.add('lane', { title: 'Lane Library', contacts: [] });
    await organizations.addStream('lane', '2026-11-24', 'All of 2026');
    await organizations.add('sealed', { contacts: [], private: true });
    await organizations.addStream('sealed', 'main');
    await organizations.add('empty', { contacts: [] });
    const { token } = await started.app.access.tokens.create({ name: 'podlake', scopes: ['download:*'] });
    bearer = { Authorization: `Bearer ${token}` };
    await upload('lane', 'full.mrc', marc21([1, 2, 3, 4, 5], 0));
    await dump('lane', 'full');
    await upload('lane', 'new.mrc', marc21([5, 6], 1));
    await upload('lane', 'gone.del.txt', Buffer.from(`${catalogue.idOf(1)}\n${catalogue.idOf(2)}\n`));
    await dump('lane', 'delta');
  });
  after(closeApps);

  const marc21 = (numbers: readonly number[], version: number) =>
    Buffer.concat(numbers.map((number) => catalogue.marc21({ number, version })));

  const documentsOf = (versions: Readonly<Record<number, number>>) =>
    Object.entries(versions).map(([number, version]) => catalogue.marc21({ number: Number(number), version }));

  /** Uploads a file as scripts for the aggregator do, and has it processed. */
  async function upload(organization: string, fileName: string, value: Buffer, stream?: string): Promise<void> {
    const parts = [
      ...(stream === undefined ? [] : [field('stream', stream)]),
      { name: 'upload[files][]', fileName, value },
    ];
    const url = `${started.url}/organizations/${organization}/uploads`;
    const { status, json, text } = await postForm(url, parts, { ...ADMINISTRATOR, Accept: 'application/json' });
    assert.equal(status, 201, text);
    const { uploads, uploadProcessor } = started.app.records;
    const received = await uploads.get(organization, json.stream, json.number);
    const signal = new AbortController().signal;
    await uploadProcessor.process(received, { signal, isLast: true, report() {}, log() {} });
    await syncSets(organization);
  }

  async function dump(organization: string, kind: 'full' | 'delta'): Promise<void> {
    await started.app.records.streamDumps.build({ organization }, kind);
    await syncSets(organization);
  }

  /** No loop does so here. The set of the default stream comes first: others are made of it. */
  async function syncSets(organization: string): Promise<void> {
    const { sets, sources, updater } = started.app;
    for (const set of await sets.list()) {
      if (!set.slug.startsWith(organization)) continue;
      await sync({ set, source: sources.sourceOf(set), updater });
      await sets.markReady(set.slug);
    }
  }

  async function read(path: string, headers = bearer) {
    const uri = path.startsWith('/') ? `${started.url}${path}` : path;
    const answer = await ask(uri, { headers });
    assert.equal(answer.status, 200, `${path}: ${answer.text}`);
    return { ...answer, uri };
  }

  async function readXml(path: string, headers = bearer) {
    const { uri, text } = await read(path, headers);
    return parseDocument(uri, text).root;
  }

  /** Organizations and the addresses of their lists, as podlake finds them in the index. */
  async function streamsOf(path: string, headers = bearer): Promise<Readonly<Record<string, string>>> {
    const root = await readXml(path, headers);
    assert.equal(root.name, 'sitemapindex');
    const lists = named(root, 'sitemap').map((one) => textOf(one, 'loc'));
    return Object.fromEntries(lists.map((list) => [/organizations\/(.+?)\//.exec(list)![1]!, list]));
  }

  async function entriesOf(path: string): Promise<readonly Entry[]> {
    const entries = named(await readXml(path), 'url').map((entry) => ({
      loc: textOf(entry, 'loc'),
      lastmod: textOf(entry, 'lastmod'),
      md: named(entry, 'rs:md')[0]!.attributes,
    }));
    for (const { lastmod, md } of entries) {
      assert.match(lastmod, /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$/);
      assert.ok(md.type && md.length && md.hash, JSON.stringify(md));
    }
    return entries;
  }

  /** Takes files in the order of their times, as podlake does, and requires their digests. Returns ids and contents. */
  async function harvest(list: string): Promise<ReadonlyMap<string, Buffer>> {
    const records = new Map<string, Buffer>();
    const entries = (await entriesOf(list)).toSorted((one, other) => (one.lastmod < other.lastmod ? -1 : 1));
    for (const { loc, md } of entries) {
      const { bytes } = await read(loc);
      assert.equal(bytes.length, Number(md.length));
      assert.equal(`md5:${createHash('md5').update(bytes).digest('hex')}`, md.hash);
      if (md.type === 'text/plain') {
        assert.match(loc, /-deletes\.del\.txt$/);
        for (const id of bytes.toString().trim().split('\n')) records.delete(id);
        continue;
      }
      assert.equal(md.type, 'application/gzip');
      assert.match(loc, /-(full|delta)-marc(21\.mrc|xml\.xml)\.gz$/);
      if (loc.includes('-full-')) records.clear();
      for (const one of await readAll(loc.endsWith('.mrc.gz') ? readMarc21 : readMarcXml, gunzipSync(bytes))) {
        assert.ok(isRecord(one));
        records.set(one.id, one.record.bytes);
      }
    }
    return records;
  }

  for (const flavor of ['marcxml', 'marc21']) {
    it(`have the records of a stream by its normalized ${flavor}, and the ids to delete (C26)`, async () => {
      const streams = await streamsOf(`/organizations/normalized_resourcelist/${flavor}`);
      assert.deepEqual(Object.keys(streams), ['lane', 'sealed']);
      const list = `${started.url}/organizations/lane/streams/2026-11-24/normalized_resourcelist/${flavor}`;
      assert.equal(streams.lane, list);
      const records = await harvest(list);
      const expected = documentsOf({ 3: 0, 4: 0, 5: 1, 6: 1 });
      assert.deepEqual([...records.keys()].sort(), [3, 4, 5, 6].map((number) => catalogue.idOf(number)).sort());
      if (flavor === 'marc21') {
        assert.deepEqual([...records.values()].map(String).sort(), expected.map(String).sort());
      }
      const kinds = (await entriesOf(list)).map(({ loc }) => loc.split('-').slice(-2).join('-'));
      const ending = flavor === 'marcxml' ? 'marcxml.xml.gz' : 'marc21.mrc.gz';
      assert.deepEqual(kinds, [`full-${ending}`, `delta-${ending}`, 'delta-deletes.del.txt']);
    });
  }

  it('find the lists by the Capability Lists, and the same without the name of stream or format', async () => {
    const well = `${started.url}/.well-known/resourcesync`;
    for (const [capabilities, list] of [
      ['capabilitylist', 'resourcelist'],
      ['normalized-capabilitylist', 'normalized_resourcelist/marcxml'],
      ['normalized-capabilitylist/marc21', 'normalized_resourcelist/marc21'],
    ] as const) {
      const root = await readXml(`${well}/${capabilities}`);
      assert.deepEqual(
        [named(root, 'rs:md')[0]!.attributes, named(root, 'rs:ln')[0]!.attributes.href],
        [{ capability: 'capabilitylist' }, well],
      );
      const [entry] = named(root, 'url');
      assert.equal(textOf(entry!, 'loc'), `${started.url}/organizations/${list}`);
      assert.equal(named(entry!, 'rs:md')[0]!.attributes.capability, 'resourcelist');
      const streams = await streamsOf(textOf(entry!, 'loc'));
      const ofStream = await read(streams.lane!);
      const ofOrganization = await read(`/organizations/lane/${list}`);
      assert.deepEqual(namesIn(ofOrganization.text), namesIn(ofStream.text));
      assert.match(ofStream.text, /<rs:md capability="resourcelist" at="/);
    }
    const bare = await read('/organizations/lane/normalized_resourcelist');
    assert.equal(bare.text, (await read('/organizations/lane/normalized_resourcelist/marcxml')).text);
    const { status, text } = await ask(`${started.url}/organizations/lane/normalized_resourcelist/mods`);
    assert.deepEqual(
      [status, JSON.parse(text).error.message],
      [404, 'there is no format "mods" of records: use marcxml or marc21'],
    );
  });

  it('read every uploaded file, in the order of arrival, with its bytes (C25)', async () => {
    const streams = await streamsOf('/organizations/resourcelist');
    assert.equal(streams.lane, `${started.url}/organizations/lane/streams/2026-11-24/resourcelist`);
    const entries = await entriesOf(streams.lane);
    assert.deepEqual(
      entries.map(({ loc }) => loc.split('/').at(-1)),
      ['full.mrc', 'new.mrc', 'gone.del.txt'],
    );
    for (const { loc, md } of entries) {
      const { bytes } = await read(loc);
      assert.equal(`sha-256:${createHash('sha256').update(bytes).digest('hex')}`, md.hash);
    }
  });

  it('copy uploads as the task of the aggregator that seeds one from another', async () => {
    const organization = JSON.parse((await read('/organizations/lane.json')).text);
    assert.deepEqual([organization.id, organization.slug, organization.name], ['lane', 'lane', 'Lane Library']);
    const stream = organization.streams.find((one: { default: boolean }) => one.default);
    assert.deepEqual([stream.name, stream.slug], ['All of 2026', '2026-11-24']);
    const { uploads, ...shown } = JSON.parse((await read(stream.url)).text);
    assert.deepEqual(shown, { name: 'All of 2026', slug: '2026-11-24', url: stream.url });
    const [first] = uploads;
    const [file] = first.files;
    assert.deepEqual([uploads.length, first.id, file.filename], [3, '2026-11-24/1', 'full.mrc']);
    assert.ok((await read(file.download_url)).bytes.equals(marc21([1, 2, 3, 4, 5], 0)));
    const streams = JSON.parse((await read('/organizations/lane/streams.json')).text);
    assert.deepEqual(streams, organization.streams);
    assert.equal((await read('/organizations/lane/streams')).text, JSON.stringify(streams));
    const all = JSON.parse((await read('/organizations.json')).text);
    assert.deepEqual(
      all.map(({ slug }: { slug: string }) => slug),
      ['empty', 'lane', 'sealed'],
    );
    assert.deepEqual(all[1], organization);
  });

  itOnce('page through the uploads of a stream, newest first', async () => {
    const { uploads, organizations } = started.app.records;
    await organizations.addStream('lane', 'many');
    const receive = async (stream: string, name: string) => {
      const receiving = await uploads.begin('lane', stream);
      await receiving.add(`${name}.del.txt`, [Buffer.from('a')]);
      await receiving.finish({ stream, name });
    };
    for (let number = 1; number <= 27; number++) await receive('many', `Night ${number}`);
    const names = async (query: string) =>
      JSON.parse((await read(`/organizations/lane/uploads.json?stream=many${query}`)).text).map(
        ({ name }: { name: string }) => name,
      );
    const expected = Array.from({ length: 27 }, (_, at) => `Night ${27 - at}`);
    assert.deepEqual(await names(''), expected.slice(0, 25));
    assert.deepEqual(await names('&page=2&utf8=x'), expected.slice(25));
    assert.deepEqual(await names('&page=3'), []);
    const all = async (page: number) =>
      JSON.parse((await read(`/organizations/lane/uploads.json?page=${page}`)).text).map(
        ({ id }: { id: string }) => id,
      );
    const ofBoth = [27, 26, 25].map((number) => `many/${number}`);
    assert.deepEqual((await all(1)).slice(0, 3), ofBoth);
    assert.deepEqual(await all(2), ['many/2', 'many/1', '2026-11-24/3', '2026-11-24/2', '2026-11-24/1']);
    assert.deepEqual([await all(3), await all(10 ** 15)], [[], []]);
    await receive('2026-11-24', 'again');
    assert.deepEqual((await all(1)).slice(0, 2), ['2026-11-24/4', 'many/27']);
    assert.deepEqual((await all(2)).length, 6);
    const [newest] = JSON.parse((await read('/organizations/lane/uploads?stream=')).text);
    assert.deepEqual([newest.id, newest.files[0].filename], ['2026-11-24/4', 'again.del.txt']);
    assert.deepEqual(JSON.parse((await read(newest.url)).text), newest);
    const page = await ask(`${started.url}/organizations/lane/uploads`, { headers: { Accept: 'text/html' } });
    assert.deepEqual([page.status, page.headers.location], [303, './']);
  });

  it('see nothing of a private organization without a token that may read it', async () => {
    for (const path of [
      '/organizations.json',
      '/organizations/resourcelist',
      '/organizations/normalized_resourcelist/marcxml',
    ]) {
      const [anonymous, reader] = [await read(path, {}), await read(path)];
      assert.doesNotMatch(anonymous.text, /sealed/, path);
      assert.match(reader.text, /organizations\/sealed/, path);
      for (const { headers } of [anonymous, reader]) assert.match(headers['cache-control'] ?? '', /^private|no-store/);
    }
    const { status } = await ask(`${started.url}/organizations/sealed/streams/main/normalized_resourcelist/marcxml`);
    assert.equal(status, 404);
  });

  itOnce('get 304 for a list that is as it was, and gzip', async () => {
    for (const path of [
      '/organizations/normalized_resourcelist/marc21',
      '/organizations/lane/normalized_resourcelist',
    ]) {
      const { headers, text } = await read(path);
      const again = await ask(`${started.url}${path}`, { headers: { ...bearer, 'If-None-Match': headers.etag! } });
      assert.equal(again.status, 304);
      const packed = await read(path, { ...bearer, 'Accept-Encoding': 'gzip' });
      assert.equal(packed.headers['content-encoding'], 'gzip');
      assert.equal(String(gunzipSync(packed.bytes)), text);
    }
  });

  itOnce('go on with the next full dump, and with the stream that becomes the default (C20)', async () => {
    await upload('lane', 'more.mrc', marc21([7], 0));
    await dump('lane', 'full');
    const { organizations } = started.app.records;
    const first = '/organizations/lane/streams/2026-11-24/normalized_resourcelist/marcxml';
    assert.deepEqual(namesIn((await read(first)).text).map(kindOf), ['full']);
    await organizations.addStream('lane', 'next');
    await upload('lane', 'all.mrc', marc21([3, 8], 2), 'next');
    await organizations.changeStream('lane', 'next', { default: true });
    await syncSets('lane');
    await dump('lane', 'delta');
    const { lane } = await streamsOf('/organizations/normalized_resourcelist/marcxml');
    assert.equal(lane, `${started.url}/organizations/lane/streams/next/normalized_resourcelist/marcxml`);
    const ids = [...(await harvest(lane)).keys()].sort();
    assert.deepEqual(ids, [3, 8].map((number) => catalogue.idOf(number)).sort());
    assert.deepEqual(namesIn((await read(first)).text), []);
  });
});

function namesIn(text: string): readonly string[] {
  return [...text.matchAll(/<loc>[^<]*\/([^</]+)<\/loc>/g)].map(([, name]) => name!);
}

function kindOf(name: string): string {
  return /-(full|delta)-/.exec(name)![1]!;
}

const named = ({ children }: XmlElement, name: string) => children.filter((child) => child.name === name);
const textOf = (element: XmlElement, name: string): string => named(element, name)[0]!.text;
