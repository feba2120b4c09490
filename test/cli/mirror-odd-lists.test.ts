import assert from 'node:assert/strict';
import { gzipSync } from 'node:zlib';
import { CHANGES, copyIn, hashAndLength, LIST, MirroredSource } from '../support/mirrored-source.ts';
import { killTidemarks, runTidemark, startTidemark } from '../support/run-tidemark.ts';
import { type Answering, documentOf } from '../support/served-source.ts';
import { useTempFolder } from '../support/temp-folder.ts';
import { until } from '../support/until.ts';

const AT = '2026-01-01T00:00:00Z';
const LATER = '2026-01-02T00:00:00Z';

describe('a mirror of a source whose lists are not as they should be', () => {
  const place = useTempFolder();
  let source: MirroredSource;

  beforeEach(async () => {
    source = await MirroredSource.start();
    source.put({ 'a.txt': 'one', 'b.txt': 'two' }).list(AT);
  });

  afterEach(async () => {
    await killTidemarks();
    await source.close();
  });

  const mirror = (...words: readonly string[]) =>
    runTidemark(['mirror', source.url, 'copy', ...words], { cwd: place.path });
  const copy = () => copyIn(place.at('copy'));
  const done = async () => {
    const { exitCode, stdout, stderr } = await mirror();
    assert.equal(exitCode, 0, stdout + stderr);
    assert.deepEqual(copy(), Object.fromEntries([...source.files].sort()));
    return { stdout, stderr };
  };

  it('reads the lists that the Capability List names now, also while it follows', async () => {
    source.changes(AT, []);
    const following = startTidemark(['mirror', source.url, 'copy', '--follow', '--interval', '1s', '--json'], {
      cwd: place.path,
    });
    await following.says(/"event":"pass"/);
    const changes = '/changelist-2.xml';
    const entry = source.put({ 'a.txt': 'new' }).entry('a.txt', `${md('updated', LATER)} ${hashAndLength('', 'new')}`);
    source.served.document(changes, `<rs:md capability="changelist" from="${AT}"/>${entry}`);
    source.served.describe({ resourcelist: LIST, changelist: changes });
    await until('the copy has the change', async () => copy()['a.txt'] === 'new');
  });

  it('deletes nothing when a document of another kind is in the place of a list', async () => {
    await done();
    const answers = new Map(source.served.answers);
    const others = [
      documentOf(''),
      documentOf('<rs:md capability="description"/>'),
      documentOf(`<rs:md capability="changelist" from="${AT}"/>`),
      documentOf(`<rs:md capability="resourcelist" at="${AT}"/>`, 'sitemapindex'),
    ];
    // An empty Resource List is one: the source may have no resources.
    for (const [path, documents] of [
      ['/set.xml', others],
      [LIST, others.slice(1)],
    ] as const) {
      for (const document of documents) {
        source.served.answers.set(path, document);
        const { exitCode, stdout, stderr } = await mirror();
        assert.equal(exitCode, 3, stdout + document);
        assert.match(
          stderr,
          /it was a Capability List|its capability is|an index without lists|names no Resource List/,
        );
        assert.deepEqual(copy(), { 'a.txt': 'one', 'b.txt': 'two' });
      }
      source.served.answers.set(path, answers.get(path)!);
    }
    await done();
  });

  it('applies each of several changes of a resource with the same time, whenever they come', async () => {
    const change = { path: 'a.txt', change: 'updated', datetime: LATER } as const;
    const entries = ['1', '2', '1'].map((text) => {
      return source.entry('a.txt', `${md('updated', LATER)} ${hashAndLength('', text)}`);
    });
    source.changes(AT, [change]);
    for (const [count, text] of ['1', '2', '1'].entries()) {
      source.put({ 'a.txt': text });
      const shown = entries.slice(0, count + 1).join('');
      source.served.document(CHANGES, `<rs:md capability="changelist" from="${AT}"/>${shown}`);
      await done();
    }
    source.put({ 'a.txt': undefined });
    const shown = [...entries, source.entry('a.txt', md('deleted', LATER))].join('');
    source.served.document(CHANGES, `<rs:md capability="changelist" from="${AT}"/>${shown}`);
    assert.match((await done()).stdout, /1 deleted/);
    assert.match((await done()).stdout, /Nothing to do/);
  });

  it('asks for a resource without a hash again when it has changed twice in a second', async () => {
    const change = { path: 'a.txt', change: 'updated', datetime: LATER } as const;
    const list = (count: number) => {
      const entry = source.entry('a.txt', md('updated', LATER));
      source.changes(AT, [change]);
      source.served.document(CHANGES, `<rs:md capability="changelist" from="${AT}"/>${entry.repeat(count)}`);
    };
    for (const [at, text] of ['one', 'two'].entries()) {
      source.put({ 'a.txt': text });
      list(at + 1);
      await done();
    }
    const before = source.requestsOf('a.txt');
    await done();
    assert.equal(source.requestsOf('a.txt'), before);
  });

  it('applies changes in whole seconds, minutes, days, months or years that its position is within', async () => {
    for (const [at, datetime] of [
      ['2026-03-01T10:20:30.5Z', '2026-03-01T10:20:30Z'],
      ['2026-03-02T10:20:30.5Z', '2026-03-02T10:20Z'],
      ['2026-03-03T10:20:30Z', '2026-03-03'],
      ['2026-04-03T10:20:30Z', '2026-04'],
      ['2027-05-03T10:20:30Z', '2027'],
      ['2027-06-01T00:00:00Z', '2027-06-02T00:00:00.1234567891Z'],
    ] as const) {
      source.list(at).changes(AT, []);
      assert.equal((await mirror('--compare')).exitCode, 0);
      source.put({ 'a.txt': datetime }).changes(AT, [{ path: 'a.txt', change: 'updated', datetime }]);
      await done();
      assert.match((await done()).stdout, /Nothing to do/);
    }
  });

  it('reads in a closed list what came at the time of its end', async () => {
    const { baseUrl } = source.served;
    const publish = (...texts: readonly string[]) => {
      const entries = texts.map((text) =>
        source.entry(`${text}.txt`, `${md('created', LATER)} ${hashAndLength('', text)}`),
      );
      source.put(Object.fromEntries(texts.map((text) => [`${text}.txt`, text])));
      const page = `<rs:md capability="changelist" from="${AT}" until="${LATER}"/>`;
      source.changes(AT, []);
      source.served.document('/page.xml', page + entries.join(''));
      const index = `<rs:md capability="changelist" from="${AT}"/><sitemap><loc>${baseUrl}/page.xml</loc>${page}</sitemap>`;
      source.served.document(CHANGES, index, 'sitemapindex');
    };
    publish('c');
    await done();
    publish('c', 'd');
    await done();
  });

  it('reads the open list of an index that is as it was', async () => {
    const { baseUrl } = source.served;
    const begin = `<rs:md capability="changelist" from="${AT}"/>`;
    const index = documentOf(`${begin}<sitemap><loc>${baseUrl}/page.xml</loc>${begin}</sitemap>`, 'sitemapindex');
    source.changes(AT, []).served.answers.set(CHANGES, validated(index, { etag: '"index"' }));
    for (const path of ['c.txt', 'd.txt']) {
      source.put({ [path]: 'new' });
      const [, , ...added] = [...source.files.keys()];
      const entries = added.map((path) => source.entry(path, `${md('created', LATER)} ${hashAndLength('', 'new')}`));
      source.served.document('/page.xml', begin + entries.join(''));
      await done();
    }
  });

  it('asks for a range again where that was refused once', async () => {
    const range = `${CHANGES}?from=${AT.replace('Z', '.000000Z')}`;
    const change = { path: 'a.txt', change: 'updated', datetime: LATER } as const;
    source.changes(AT, []).served.answers.set(range, (_, response) => response.writeHead(403).end());
    await done();
    source.put({ 'a.txt': 'new' }).changes(AT, [change]);
    const { answers } = source.served;
    answers.set(range, answers.get(CHANGES)!);
    answers.set(CHANGES, documentOf('no list'));
    await done();
  });

  it('reads a list again that may have changed in the second of its Last-Modified', async () => {
    const change = { path: 'a.txt', change: 'updated', datetime: LATER } as const;
    const modified = new Date(AT).toUTCString();
    source.changes(AT, []);
    await done();
    source.put({ 'a.txt': 'new' }).changes(AT, [change]);
    const first = source.served.answers.get(CHANGES) as string;
    source.served.answers.set(CHANGES, validated(first, { 'last-modified': modified, date: modified }));
    await done();
    source.put({ 'b.txt': 'new' }).changes(AT, [change, { ...change, path: 'b.txt' }]);
    const second = source.served.answers.get(CHANGES) as string;
    source.served.answers.set(CHANGES, validated(second, { 'last-modified': modified }));
    await done();
    // The response was of a later second: now nothing can have changed.
    source.served.answers.set(CHANGES, validated('', { 'last-modified': modified }));
    assert.match((await done()).stdout, /Nothing to do/);
  });

  it('compares everything when a change has no time, and undoes nothing that came after it', async () => {
    // As resync 2.0.1 writes them: with the lastmod that the file had, and without a beginning.
    const [from, old] = [`from="${AT}"`, '2020-01-01T00:00:00Z'];
    for (const [md, attributes, lastmod] of [
      [from, 'change="deleted"', undefined],
      [from, 'change="deleted"', old],
      ['', 'change="updated"', old],
    ] as const) {
      source.put({ 'a.txt': 'one' }).list(AT).changes(AT, []);
      await done();
      source.put({ 'a.txt': 'new' }).list(LATER);
      const time = lastmod === undefined ? '' : `<lastmod>${lastmod}</lastmod>`;
      const entry = source.entry('a.txt', attributes).replace('</loc>', `</loc>${time}`);
      source.served.document(CHANGES, `<rs:md capability="changelist" ${md}/>${entry}`);
      const { stdout, stderr } = await done();
      assert.match(stdout, /because the source has no changes to follow/);
      assert.equal(stderr, '');
      place.remove('copy');
    }
    source.put({ 'a.txt': 'one' }).list(AT).changes(AT, []);
    await done();
    source.put({ 'a.txt': 'new' }).list(LATER);
    const undated = source.entry('a.txt', 'change="deleted"');
    const dated = source.entry('a.txt', `${md('created', LATER)} ${hashAndLength('', 'new')}`);
    source.served.document(CHANGES, `<rs:md capability="changelist" from="${AT}"/>${undated}${dated}`);
    await done();
    assert.match((await done()).stdout, /because the source has no changes to follow/);
    // A leap second is not a time that programs know.
    source.put({ 'b.txt': 'new' }).list(LATER);
    source.changes(AT, [{ path: 'b.txt', change: 'updated', datetime: '2026-06-30T23:59:60Z' }]);
    assert.match((await done()).stdout, /because the source has no changes to follow/);
  });

  it('applies changes without a time in their order, in a list that begins after the Resource List was written', async () => {
    // As py-resourcesync writes them: `completed` of the Resource List, and changes by their kinds.
    const completed = '2026-01-01T00:00:05Z';
    source.put({ 'c.txt': 'three' }).list(AT);
    const list = source.served.answers.get(LIST) as string;
    source.served.answers.set(LIST, list.replace('at=', `completed="${completed}" at=`));
    const undated = (path: string, change: string, text = '') =>
      source.entry(path, `change="${change}" ${change === 'deleted' ? '' : hashAndLength('', text)}`);
    const publish = (from: string, ...entries: readonly string[]) => {
      source.served.document(CHANGES, `<rs:md capability="changelist" from="${from}"/>${entries.join('')}`);
      source.served.describe({ resourcelist: LIST, changelist: CHANGES });
    };
    for (const from of [AT, completed, '2026-01-01T01:00:00Z']) {
      source.put({ 'a.txt': 'newer', 'b.txt': undefined, 'c.txt': 'again', 'd.txt': 'new' });
      publish(
        from,
        undated('a.txt', 'updated', 'new') + undated('a.txt', 'updated', 'newer'),
        undated('d.txt', 'created', 'new'),
        undated('b.txt', 'deleted') + undated('c.txt', 'deleted') + undated('c.txt', 'created', 'again'),
      );
      await done();
      const { exitCode, stdout } = await mirror('--audit');
      assert.equal(exitCode, 0, stdout);
      place.remove('copy');
    }
    // Without a change yet, there is nothing to compare again.
    const now = source.list(AT).served.answers.get(LIST) as string;
    source.served.answers.set(LIST, now.replace('at=', `completed="${completed}" at=`));
    publish('2026-01-01T00:00:02Z');
    await done();
    const { stdout, stderr } = await done();
    assert.match(stdout, /Nothing to do/);
    assert.equal(stderr, '');
  });

  it('asks for a resource whose change without a time may be older than the Resource List', async () => {
    source.put({ 'c.txt': 'three', 'd.txt': 'four', 'e.txt': 'five' }).list(LATER);
    const old = '<lastmod>2020-01-01T00:00:00Z</lastmod>';
    const entries = ['a.txt', 'b.txt', 'c.txt'].map((path) => source.entry(path, 'change="deleted"'));
    const changed = [
      source.entry('d.txt', `change="updated" ${hashAndLength('', 'new')}`),
      source.entry('f.txt', `change="created" ${hashAndLength('', 'six')}`).replace('</loc>', `</loc>${old}`),
    ];
    const list = `<rs:md capability="changelist" from="${AT}"/>${entries.join('')}${changed.join('')}`;
    source.changes(AT, []).served.document(CHANGES, list);
    await mirror();
    source.put({ 'b.txt': undefined, 'd.txt': 'newest', 'f.txt': 'six' });
    source.served.answers.set('/files/c.txt', (_, response) => response.writeHead(410).end());
    source.files.delete('c.txt');
    assert.match((await mirror('--audit')).stdout, /^3 differences/);
    await done();
    // A server that does not answer for it may have it.
    source.served.answers.set('/files/a.txt', (_, response) => response.writeHead(403).end());
    const { exitCode, stdout, stderr } = await mirror();
    assert.equal(exitCode, 1, stdout);
    assert.match(stdout + stderr, /a\.txt: the server answers 403/);
    assert.deepEqual(copy(), Object.fromEntries([...source.files].sort()));
  });

  it('takes an update from the Resource List, whatever a change without a time says of the resource', async () => {
    const dated = (entry: string) => entry.replace('</loc>', '</loc><lastmod>2020-01-01T00:00:00Z</lastmod>');
    const publish = (at: string, list: string, change: string) => {
      source.changes(AT, []).served.document(LIST, `<rs:md capability="resourcelist" at="${at}"/>${list}`);
      source.served.document(CHANGES, `<rs:md capability="changelist" from="${AT}"/>${change}`);
    };
    const [b, updated] = [source.entry('b.txt', hashAndLength('', 'two')), 'change="updated"'];
    for (const change of [updated, `${updated} ${hashAndLength('', 'new')}`]) {
      source.put({ 'a.txt': 'one' });
      publish(AT, dated(source.entry('a.txt', hashAndLength('', 'one'))) + b, '');
      await done();
      source.put({ 'a.txt': 'new' });
      publish(LATER, dated(source.entry('a.txt', hashAndLength('', 'new'))) + b, dated(source.entry('a.txt', change)));
      assert.match((await mirror('--audit')).stdout, /^1 difference/);
      await done();
      place.remove('copy');
    }
    // A change with other bytes than its list may be the later one.
    source.put({ 'a.txt': 'newest' });
    for (const change of [updated, `${updated} ${hashAndLength('', 'newest')}`]) {
      publish(LATER, source.entry('a.txt', hashAndLength('', 'new')) + b, source.entry('a.txt', change));
      const { exitCode, stdout } = await mirror();
      if (change === updated) assert.match(stdout, /a\.txt: it has more bytes than the 3 of the list/);
      else assert.equal(exitCode, 0, stdout);
    }
    await done();
    assert.equal((await mirror('--audit')).exitCode, 0);
  });

  it('says which entries and changes of a list it does not use', async () => {
    source.changes(AT, []);
    const list = source.served.answers.get(LIST) as string;
    const nameless = list.replace('</urlset>', '<url><loc/></url><url></url></urlset>');
    source.served.answers.set(LIST, nameless.replace(/ at="[^"]*"/, ''));
    const { stderr } = await done();
    assert.match(stderr, /2 entries of \S+resourcelist\.xml without a location: ignored/);
    assert.match(stderr, /resourcelist\.xml does not say as of when it is \("at"\): the Change List is not used/);
  });

  it('finds no difference by an audit where the Resource List is older than the copy', async () => {
    source.put({ 'a.txt': 'new', 'c.txt': 'three' }).changes(AT, [
      { path: 'a.txt', change: 'updated', datetime: LATER },
      { path: 'b.txt', change: 'deleted', datetime: LATER },
      { path: 'c.txt', change: 'created', datetime: LATER },
    ]);
    source.put({ 'b.txt': undefined });
    await done();
    const { exitCode, stdout } = await mirror('--audit');
    assert.equal(exitCode, 0, stdout);
  });

  it('compares everything when a change was added before others that it has', async () => {
    const last = { path: 'a.txt', change: 'updated', datetime: '2026-01-05T00:00:00Z' } as const;
    source.changes(AT, []);
    await done();
    source.put({ 'a.txt': 'new' }).changes(AT, [last]);
    await done();
    const late = { path: 'b.txt', change: 'updated', datetime: '2026-01-04T00:00:00Z' } as const;
    source.put({ 'b.txt': 'new' }).changes(AT, [last, late]);
    assert.match((await done()).stderr, /changes that were added before the last one: comparing everything/);
    // Once is enough, whatever their order is.
    const { stdout } = await done();
    assert.doesNotMatch(stdout, /compared/);
  });

  it('takes the last one of several entries of a resource, in each comparison', async () => {
    const [a, b] = [...source.files].map(([path, text]) => source.entry(path, hashAndLength(path, text)));
    const before = source.entry('a.txt', hashAndLength('', 'before'));
    source.served.document(LIST, `<rs:md capability="resourcelist" at="${AT}"/>${before}${b}${a}`);
    await done();
    assert.match((await done()).stdout, /Nothing to do/);
    assert.equal((await mirror('--audit', '--rehash')).exitCode, 0);
  });

  it('finds no difference by an audit where the list says nothing that could differ', async () => {
    source.list(AT, () => '');
    await done();
    assert.equal((await mirror('--audit', '--rehash')).exitCode, 0);
  });

  it('says which lengths and hashes are none, and compares long lengths', async () => {
    const odd = { 'a.txt': 'length="-5"', 'b.txt': `length="3" hash="md5:${'x'.repeat(32)}"` };
    source.list(AT, (path) => odd[path as keyof typeof odd]);
    const { stderr } = await done();
    assert.match(stderr, /2 entries have a length or hashes that cannot be compared, such as length="-5" of .*a\.txt/);
    source.put({ 'c.txt': 'three' }).list(LATER, () => 'length="1000000000000000"');
    const { exitCode, stdout } = await mirror('--compare');
    assert.equal(exitCode, 1);
    assert.match(stdout, /c\.txt: it has 5 bytes, and the list says 1000000000000000/);
  });

  it('keeps names that differ only by case or accents, and counts files with other names', async () => {
    const [composed, decomposed] = ['\u00e9.txt', 'e\u0301.txt'];
    source.put({ 'Index.html': 'I', 'index.html': 'i', [composed]: 'one', [decomposed]: 'two' });
    source.put({ 'what?.html': 'w' });
    for (const path of [composed, decomposed, 'what?.html']) {
      const encoded = encodeURIComponent(path);
      source.served.answers.set(`/files/${encoded}`, source.served.answers.get(`/files/${path}`)!);
    }
    const entries = [...source.files].map(([path, text]) =>
      source.entry(encodeURIComponent(path), hashAndLength(path, text)),
    );
    source.served.document(LIST, `<rs:md capability="resourcelist" at="${AT}"/>${entries.join('')}`);
    const { stdout } = await mirror();
    const { 'what?.html': renamed, ...others } = Object.fromEntries(source.files);
    assert.deepEqual(copy(), Object.fromEntries(Object.entries({ ...others, 'what%3F.html': renamed }).sort()));
    const status = await runTidemark(['mirror', 'status', 'copy'], { cwd: place.path });
    for (const text of [stdout, status.stdout]) assert.match(text, /1 resource has another name in the copy/);
    const json = await runTidemark(['mirror', 'status', 'copy', '--json'], { cwd: place.path });
    assert.equal(JSON.parse(json.stdout).renamed, 1);
    assert.match((await mirror('--json')).stdout, /"renamed":1/);
  });

  it('asks which list, when there are only sitemaps, and several', async () => {
    const { baseUrl, answers } = source.served;
    answers.set('/robots.txt', `Sitemap: ${baseUrl}/1.xml\nSitemap: ${baseUrl}/2.xml\n`);
    answers.delete('/.well-known/resourcesync');
    for (const [at, path] of [...source.files.keys()].entries()) {
      source.served.document(`/${at + 1}.xml`, `<url><loc>${baseUrl}/files/${path}</loc></url>`);
    }
    const { exitCode, stderr } = await mirror();
    assert.equal(exitCode, 2);
    assert.match(stderr, /has several sets: choose one with --set.*\n.*\/1\.xml\n.*\/2\.xml/);
    assert.equal((await mirror('--set', `${baseUrl}/2.xml`)).exitCode, 0);
    assert.deepEqual(copy(), { 'b.txt': 'two' });
  });

  it('resolves relative URIs of lists and resources', async () => {
    const { served } = source;
    const entries = [...source.files].map(
      ([path, text], at) =>
        `<url><loc>${at === 0 ? '/' : '../'}files/${path}</loc><rs:md ${hashAndLength('', text)}/></url>`,
    );
    const md = `<rs:md capability="resourcelist" at="${AT}"/>`;
    served.document(LIST, `${md}<sitemap><loc> pages/1.xml </loc></sitemap>`, 'sitemapindex');
    served.document('/pages/1.xml', md + entries.join(''));
    await done();
  });

  it('takes the bytes of a packed file that comes with a Content-Encoding, if the hash is right', async () => {
    source.put({ 'a.txt': 'packed bytes' }).list(AT);
    source.served.answers.set('/files/a.txt', (_, response) =>
      response.writeHead(200, { 'content-encoding': 'x-gzip' }).end('packed bytes'),
    );
    await done();
  });

  it('reads a packed list whose Content-Encoding has capital letters', async () => {
    const packed = gzipSync(source.served.answers.get(LIST) as string);
    for (const coding of ['GZIP', 'gzip, Identity']) {
      source.served.answers.set(LIST, (_, response) =>
        response.writeHead(200, { 'content-encoding': coding }).end(packed),
      );
      await done();
    }
  });

  it('reads a packed list whose first byte comes alone', async () => {
    const list = source.served.answers.get(LIST) as string;
    source.served.answers.set(LIST, (_, response) => {
      const packed = gzipSync(list);
      response.writeHead(200, { 'content-type': 'application/xml' }).write(packed.subarray(0, 1));
      setTimeout(() => response.end(packed.subarray(1)), 200);
    });
    await done();
  });
});

/** Sends a document with validators, or 304 to a request that has one of them. */
const validated =
  (document: string, headers: Readonly<Record<string, string>>): Answering =>
  (request, response) => {
    const known = request.headers['if-none-match'] ?? request.headers['if-modified-since'] ?? '';
    if (Object.values(headers).includes(known)) response.writeHead(304).end();
    else response.writeHead(200, { 'content-type': 'application/xml', ...headers }).end(document);
  };

const md = (change: string, datetime: string) => `change="${change}" datetime="${datetime}"`;
