import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { ask } from '../support/ask.ts';
import { SQLITE } from '../support/each-store.ts';
import { findFreePort } from '../support/free-port.ts';
import { encodeSample } from '../support/marc-records.ts';
import type { RunningTidemark } from '../support/run-tidemark.ts';
import { until } from '../support/until.ts';
import { Workplace } from '../support/workplace.ts';

const sample = (id: string, title: string) => ({
  leader: '00000nam a2200000   4500',
  fields: [
    { tag: '001', value: id },
    { tag: '245', indicators: '10' as const, subfields: [{ code: 'a', value: title }] },
  ],
});
const MARC21 = 'application/marc';
const MARCXML = 'application/marcxml+xml';

describe('The sets of streams', () => {
  let place: Workplace;
  let serving: RunningTidemark | undefined;
  let server: string;
  let port: string;

  beforeEach(async () => {
    place = await Workplace.make(SQLITE);
    port = String(await findFreePort());
    server = `http://localhost:${port}`;
    await done('organizations', 'add', 'lane', '--title', 'Lane Library', '--port', port);
    await done('streams', 'add', 'lane', 'main');
    await done('streams', 'add', 'lane', 'new', '--title', 'All of 2026');
  });
  afterEach(async () => {
    serving?.signal('SIGTERM');
    await serving?.exit();
    serving = undefined;
    await place.close();
  });

  const done = async (...args: readonly string[]) => {
    const { exitCode, stdout, stderr } = await place.run(args);
    assert.equal(exitCode, 0, stderr);
    return stdout;
  };
  const fails = async (args: readonly string[], code: number, message: RegExp) => {
    const { exitCode, stderr } = await place.run(args);
    assert.match(stderr, message);
    assert.equal(exitCode, code);
  };
  const serve = async () => {
    serving = place.start(['serve', '--port', port, '--access-log', 'false']);
    await serving.says(/Serving \d+ sets/);
  };
  const upload = async (stream: string, name: string, records: Readonly<Record<string, string>>) => {
    const bytes = Object.entries(records).map(([id, title]) => encodeSample(sample(id, title)));
    await writeFile(join(place.folder, name), Buffer.concat(bytes));
    await done('upload', 'lane', name, '--stream', stream);
  };
  const get = (path: string, headers: Record<string, string> = {}) => ask(`${server}${path}`, { headers });
  const untilHas = (set: string, resources: number) =>
    until(`${set} has ${resources} resources`, async () => {
      const shown = JSON.parse(await done('sets', 'show', set, '--json'));
      return shown.ready && shown.resources === resources;
    });

  it('are mirrored and validated as their lists have them, and built into a Resource Dump', async () => {
    await serve();
    await upload('main', 'full.mrc', { ocm1: 'One', ocm2: 'Two', 'a/b': 'Three' });
    await untilHas('lane', 3);
    await untilHas('lane.uploads', 1);
    const copy = join(place.folder, 'copy');
    await done('mirror', server, copy, '--set', 'lane');
    assert.deepEqual(await readFile(join(copy, 'ocm1')), encodeSample(sample('ocm1', 'One')));
    const uploaded = join(place.folder, 'uploaded');
    await done('mirror', server, uploaded, '--set', 'lane.uploads');
    assert.deepEqual(await readFile(join(uploaded, 'full.mrc')), await readFile(join(place.folder, 'full.mrc')));
    const report = await place.run(['validate', server, '--full', '--json']);
    assert.equal(report.exitCode, 0, report.stdout);
    await done('dumps', 'build', 'lane');
    const fromDump = join(place.folder, 'from-dump');
    await done('mirror', server, fromDump, '--set', 'lane');
    assert.deepEqual(await readFile(join(fromDump, 'ocm2')), encodeSample(sample('ocm2', 'Two')));
  });

  it('are in sync on the page of all sets, also those of an organization without a stream', async () => {
    await done('organizations', 'add', 'empty');
    await serve();
    await until('each set has a state', async () => {
      const { text } = await get('/', { Accept: 'text/html' });
      const states = [...text.matchAll(/<span class="state [^>]+>([^<]+)</g)].map(([, state]) => state);
      return states.length === 12 && states.every((state) => state === 'in sync');
    });
  });

  it('are made with titles, listed and changed, and cannot be removed or taken', async () => {
    const { sets } = JSON.parse(await done('sets', 'list', '--json'));
    assert.deepEqual(
      sets.map(({ set, title, publishes }: Record<string, string>) => [set, title, publishes]),
      [
        ['lane', 'Lane Library: records', 'the records of lane'],
        ['lane--main', 'Lane Library: records of the stream main', 'the records of lane/main'],
        ['lane--main.dumps', 'Lane Library: dumps of the stream main', 'the dumps of lane/main'],
        ['lane--main.uploads', 'Lane Library: uploads of the stream main', 'the uploads of lane/main'],
        ['lane--new', 'Lane Library: records of the stream new (All of 2026)', 'the records of lane/new'],
        ['lane--new.dumps', 'Lane Library: dumps of the stream new (All of 2026)', 'the dumps of lane/new'],
        ['lane--new.uploads', 'Lane Library: uploads of the stream new (All of 2026)', 'the uploads of lane/new'],
        ['lane.dumps', 'Lane Library: dumps', 'the dumps of lane'],
        ['lane.uploads', 'Lane Library: uploads', 'the uploads of lane'],
      ],
    );
    assert.match(await done('sets', 'list'), /lane--main\.dumps +0 +0 +\(none\) +the dumps of lane\/main\n/);
    await fails(
      ['sets', 'remove', 'lane--main', '--confirm'],
      2,
      /exists as long as that organization.*organizations change lane --private/s,
    );
    await done('sets', 'change', 'lane', '--page-size', '100', '--keep-versions', '--dump', '0 3 * * *');
    await done('sets', 'change', 'lane--new', '--title', 'My own');
    await done('organizations', 'change', 'lane', '--title', 'Lane');
    const titles = JSON.parse(await done('sets', 'list', '--json')).sets.map(({ title }: { title: string }) => title);
    assert.deepEqual([titles[0], titles[4], titles[8]], ['Lane: records', 'My own', 'Lane: uploads']);
    for (const option of ['--dump', '--keep-versions']) {
      const args = option === '--dump' ? [option, '0 3 * * *'] : [option];
      await fails(['sets', 'change', 'lane.uploads', ...args], 2, /is not for this set/);
    }
    await fails(['sets', 'change', 'lane', '--private'], 2, /run "tidemark organizations change lane --private"/);
    await fails(['sets', 'change', 'lane', '--exclude', '*.tmp'], 2, /not for sets of streams/);
    await fails(['sets', 'change', 'lane', '--publish-hash', 'md5'], 2, /sha-256 alone/);
    await fails(['dumps', 'build', 'lane.uploads'], 2, /no dump is made of "lane.uploads"/);
    const { exitCode, stderr } = await place.run(['changes', 'post', 'lane--main'], { input: '{}\n' });
    assert.equal(exitCode, 2);
    assert.match(stderr, /takes no posted events: it has the records of lane\/main; .*tidemark upload lane/);

    await done('sets', 'add', 'muse.dumps', '--url-prefix', 'https://muse.example.org/');
    await fails(['organizations', 'add', 'muse'], 2, /"muse\.dumps".*choose another id/);
    await done('sets', 'add', 'kelp--x', '--url-prefix', 'https://kelp.example.org/');
    await fails(['organizations', 'add', 'kelp'], 2, /"kelp--x"/);
    await done('sets', 'add', 'lane--old.uploads', '--url-prefix', 'https://old.example.org/');
    await fails(['streams', 'add', 'lane', 'old'], 2, /"lane--old\.uploads"/);
    assert.doesNotMatch(await done('streams', 'list', 'lane'), /old/);
  });

  it('publish what is uploaded, also after another stream is made the default', async function () {
    this.timeout(150_000);
    await serve();
    await upload('main', 'a.mrc', { a1: 'One', 'b/2': 'Two & <2>', c3: 'Three' });
    await untilHas('lane--main', 3);
    await untilHas('lane', 3);
    await untilHas('lane.uploads', 1);
    const file = await get('/sets/lane.uploads/resources/000000001/0001/a.mrc', { Range: 'bytes=0-4' });
    assert.deepEqual([file.status, file.headers['content-type']], [206, MARC21]);
    const bytes = encodeSample(sample('b/2', 'Two & <2>'));
    const found = await get('/sets/lane/resources/b%2F2');
    assert.deepEqual([found.status, found.headers['content-type'], found.text], [200, MARC21, bytes.toString()]);
    assert.equal(found.headers.etag, `"${createHash('sha256').update(bytes).digest('hex')}"`);

    await upload('new', 'b.mrc', { a1: 'One', d4: 'Four' });
    await untilHas('lane--new', 2);
    await done('streams', 'default', 'lane', 'new');
    await untilHas('lane', 2);
    await until(
      'the uploads follow',
      async () => (await get('/sets/lane.uploads/resources/000000001/0001/b.mrc')).status === 200,
    );
    const changes = (await done('changes', 'list', 'lane')).trim().split('\n');
    assert.deepEqual(changes.map((line) => line.split(/ +/).slice(1).join(' ')).sort(), [
      'created /a1',
      'created /b%2F2',
      'created /c3',
      'created /d4',
      'deleted /b%2F2',
      'deleted /c3',
    ]);
    assert.equal((await get('/sets/lane/resources/c3')).status, 404);
    for (const set of ['lane', 'lane--main', 'lane.uploads', 'lane.dumps']) {
      const verified = JSON.parse(await done('verify', set, '--root', '--published', '--json'));
      assert.equal(verified.equal, true, set);
    }
    await done('dumps', 'build', 'lane--main');
    assert.match((await get('/sets/lane--main/resourcedump.xml')).text, /<rs:md[^>]* type="application\/zip"/);
    for (const page of ['', 'find', 'changes', 'pages']) {
      const { status, text } = await get(`/sets/lane.uploads/${page}`, { Accept: 'text/html' });
      assert.equal(status, 200, page);
      assert.match(text, /the uploads of lane/);
      assert.doesNotMatch(text, /Resource Dump<\/h2>/);
    }
  });

  it('have records as MARC21 and as MARCXML, whichever way a request takes', async function () {
    this.timeout(100_000);
    await serve();
    await upload('main', 'a.mrc', { a1: 'One & 1', 'a1.xml': 'Another one', 'x.mrc': 'Third', 'x.mrc.mrc': 'Fourth' });
    await untilHas('lane', 4);
    const title = (text: string) =>
      /<subfield code="a">(.*?)<\/subfield>/.exec(text)?.[1] ?? /\x1fa(.*?)\x1e/.exec(text)?.[1];
    // An encoded letter of the set is for express alone; the others are answered by the front.
    for (const home of ['/sets/lane/resources', '/sets/l%61ne/resources']) {
      const types = async (path: string, accept?: string) => {
        const { status, headers, text } = await get(`${home}/${path}`, accept === undefined ? {} : { Accept: accept });
        return [status, headers['content-type'], title(text), headers.vary];
      };
      assert.deepEqual(await types('a1'), [200, MARC21, 'One & 1', 'Accept']);
      assert.deepEqual(await types('a1', '*/*'), [200, MARC21, 'One & 1', 'Accept']);
      assert.deepEqual(await types('a1', MARCXML), [200, MARCXML, 'One &amp; 1', 'Accept']);
      assert.deepEqual(await types('a1', 'application/xml;q=0.9,*/*;q=0.8'), [200, MARCXML, 'One &amp; 1', 'Accept']);
      assert.deepEqual(await types('a1', `${MARC21}, ${MARCXML};q=0.5`), [200, MARC21, 'One & 1', 'Accept']);
      assert.deepEqual(await types('a1', `*/*, ${MARC21};q=0`), [200, MARCXML, 'One &amp; 1', 'Accept']);
      assert.deepEqual((await types('a1', 'image/png'))[0], 406);
      assert.deepEqual(await types('a1.mrc', MARCXML), [200, MARC21, 'One & 1', undefined]);
      assert.deepEqual(await types('a1.xml'), [200, MARC21, 'Another one', 'Accept'], 'an id wins over the suffix');
      assert.deepEqual(await types('a1.xml.xml'), [200, MARCXML, 'Another one', undefined]);
      assert.deepEqual(await types('x.mrc.mrc', MARCXML), [200, MARCXML, 'Fourth', 'Accept']);
      assert.deepEqual((await types('a1.pdf'))[0], 404);
      assert.deepEqual((await types('.xml'))[0], 404);

      const first = await get(`${home}/a1`);
      const at = `${server}/sets/lane/resources`;
      assert.ok(
        first.headers.link?.includes(`<${at}/a1>; rel="canonical", <${at}/a1.mrc>; rel="alternate"; type="${MARC21}"`),
      );
      assert.ok(!first.headers.link?.includes(`<${at}/a1.xml>`), 'it is another record');
      const asXml = await get(`${home}/x.mrc`, { Accept: MARCXML });
      assert.ok(asXml.headers.link?.includes(`<${at}/x.mrc.xml>; rel="alternate"; type="${MARCXML}"`));
      assert.notEqual(asXml.headers.etag, (await get(`${home}/x.mrc`)).headers.etag);
      const again = { Accept: MARCXML, 'If-None-Match': asXml.headers.etag! };
      const unchanged = await get(`${home}/x.mrc`, again);
      assert.deepEqual([unchanged.status, unchanged.headers.vary], [304, 'Accept']);
      const head = await ask(`${server}${home}/x.mrc.xml`, { method: 'HEAD' });
      assert.deepEqual(
        [head.status, head.headers['content-length'], head.headers.etag],
        [200, String(Buffer.byteLength(asXml.text)), asXml.headers.etag],
      );
      const part = await get(`${home}/x.mrc.xml`, { Range: 'bytes=5-9' });
      assert.deepEqual([part.status, part.text], [206, asXml.text.slice(5, 10)]);
    }
  });

  it('have each change once when a process is killed while it follows the default stream', async function () {
    this.timeout(150_000);
    await serve();
    await upload('main', 'a.mrc', { a: '1', b: '1' });
    await upload('new', 'b.mrc', { b: '2', c: '2' });
    await untilHas('lane--main', 2);
    await untilHas('lane--new', 2);
    await untilHas('lane', 2);
    serving!.signal('SIGTERM');
    await serving!.exit();
    serving = undefined;
    let changes = 2;
    for (const [stream, failpoint] of [
      ['new', 'follow.begun:kill'],
      ['main', 'sync.posted:kill'],
      ['new', 'follow.posted:kill'],
    ] as const) {
      await done('streams', 'default', 'lane', stream);
      const killed = await place.runProcess(['scan', 'lane'], { env: { TIDEMARK_FAILPOINT: failpoint } });
      assert.equal(killed.exitCode, null, failpoint);
      await done('scan', 'lane');
      // One is created, one updated, one deleted.
      changes += 3;
      assert.equal((await done('changes', 'list', 'lane')).trim().split('\n').length, changes, failpoint);
      const verified = JSON.parse(await done('verify', 'lane', '--root', '--json'));
      assert.equal(verified.equal, true, failpoint);
      assert.match(await done('scan', 'lane'), /lane has the records of lane already/);
    }
  });
});
