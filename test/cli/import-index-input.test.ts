import assert from 'node:assert/strict';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { SQLITE } from '../support/each-store.ts';
import { useElasticsearch } from '../support/elasticsearch.ts';
import { FaultProxy } from '../support/fault-proxy.ts';
import {
  at,
  change,
  ImportPlace,
  type ImportSummary,
  PREFIX,
  path,
  published,
  resource,
} from '../support/import-place.ts';

// What is read, and refused, does not depend on the kind of store that it goes to.
describe('the input of tidemark import-index', () => {
  const server = useElasticsearch();
  let place: ImportPlace;

  beforeEach(async () => {
    place = await ImportPlace.make(SQLITE, server.url);
  });

  afterEach(() => place.close());

  it('is taken over but for what is rejected and named', async () => {
    await place.source.write({
      ok: change('a.tif', 'created', 1),
      'ok-r': resource('a.tif', { length: 1 }),
      'no-set': { location: path('b.tif') },
      outside: resource('../b.tif'),
      'bad-mime': resource('b.tif', { mime: 'nonsense' }),
      'bad-mime-1': change('b.tif', 'created', 2),
      'bad-change': change('c.tif', 'renamed', 1),
      'bad-time': { ...change('c.tif', 'created', 1), datetime: '2037-01-01T00:00:00Z' },
      'no-time': { ...change('c.tif', 'created', 1), datetime: undefined },
      twice: resource('a.tif', { length: 2, timestamp: at(50) }),
      extended: resource('d.tif', { rights: 'CC0' }),
    });

    const run = await place.run(`import-index ${PREFIX} --json`, place.source.environment());
    const { rejected, leftOut } = JSON.parse(run.stdout) as ImportSummary;

    assert.equal(run.exitCode, 1);
    assert.deepEqual(Object.fromEntries(rejected.first.map(({ id, code }) => [id, code])), {
      'no-set': 'missing-field',
      outside: 'outside-root',
      'bad-mime': 'bad-media-type',
      'bad-change': 'unknown-change',
      'bad-time': 'datetime-in-future',
      'no-time': 'missing-field',
      'ok-r': 'duplicate',
    });
    assert.deepEqual([rejected.total, leftOut], [7, { rights: 1 }]);
    // The resource of a rejected document is not deleted: the state that its changes made stays.
    assert.deepEqual((await place.changes('maps')).slice(0, 2), [
      `${published(1)} created a.tif 2`,
      `${published(2)} created b.tif`,
    ]);
    assert.match((await place.run('verify maps')).stdout, /no difference in 3 changes, 3 resources/);
  });

  it('names twenty documents of each kind of problem, and counts the others', async () => {
    const many = Array.from({ length: 25 }, (_, at) => [`many-${at}`, resource(`${at}.tif`, { md5: 'x' })] as const);
    await place.source.write({ ...Object.fromEntries(many), other: resource('b.tif', { mime: 'nonsense' }) });

    const run = await place.run(`import-index ${PREFIX} --dry-run`, place.source.environment());

    assert.equal(run.stdout.match(/rejected \(bad-hash\)/g)?.length, 20);
    assert.match(run.stdout, /… and 5 more \(bad-hash\); --json lists more/);
    assert.match(run.stdout, /other: rejected \(bad-media-type\)/);
  });

  it('is only reported on with --dry-run, which writes nothing', async () => {
    await place.source.write({
      a: resource('a.tif'),
      'a-1': change('a.tif', 'created', 1),
      bad: resource('b.tif', { md5: 'x' }),
    });

    const run = await place.run(`import-index ${PREFIX} --dry-run`, place.source.environment());

    assert.equal(
      run.stdout,
      `${place.source.name}/bad: rejected (bad-hash): md5 is "x", but a md5 digest has 32 hexadecimal digits\n` +
        'maps ("maps", new): 1 resource and 1 change\n3 documents: 1 rejected\n',
    );
    assert.deepEqual([run.exitCode, run.stderr], [1, 'Nothing was written.\n']);
    assert.equal(existsSync(join(place.work.folder, 'data')), false);
    assert.equal((await place.run('sets show maps')).exitCode, 2);
  });

  it('is read below the path of a proxy', async () => {
    await place.source.write({ a: resource('a.tif') });
    const proxy = await FaultProxy.start(server.url, '/es');
    try {
      const run = await place.run(`import-index ${proxy.url}/${place.source.name} ${PREFIX} --dry-run`);

      assert.match(run.stdout, /^maps \("maps", new\): 1 resource and 0 changes\n/);
      assert.deepEqual([run.exitCode, run.stderr], [0, 'Nothing was written.\n']);
    } finally {
      await proxy.close();
    }
  });

  it('loses only its wrong fields with --lenient, which names them', async () => {
    const link = (rel: string, mime?: string) => ({ rel, href: path(`${rel}.xml`), mime });
    await place.source.write({
      ok: resource('a.tif', { length: 1, ln: [link('described by')] }),
      wrong: resource('b.tif', {
        length: 5,
        mime: 'pdf',
        md5: ['abc'],
        ln: [link('none such'), link('described by', 'xml'), link('cite-as'), { href: path('c.xml') }],
      }),
      'wrong-1': change('b.tif', 'created', 1, { lastmod: '2017-02-03' }),
      'no-way': resource('../c.tif', { mime: 'pdf' }),
    });

    const strict = await place.run(`import-index ${PREFIX} --dry-run --json`, place.source.environment());
    const dry = await place.run(`import-index ${PREFIX} --dry-run --lenient --json`, place.source.environment());
    const run = await place.run(`import-index ${PREFIX} --lenient`, place.source.environment());

    const problems = ({ first }: ImportSummary['rejected']) =>
      first.map(({ id, code, field }) => [id, code, field].join(' ')).toSorted();
    const summary: ImportSummary = JSON.parse(dry.stdout);
    assert.deepEqual(problems(JSON.parse(strict.stdout).rejected).length, 3);
    assert.deepEqual(problems(summary.rejected), ['no-way outside-root location.value']);
    assert.deepEqual(problems(summary.leftOutFields), [
      'wrong bad-hash md5',
      'wrong bad-media-type ln[1].mime',
      'wrong bad-media-type mime',
      'wrong link-without-rel ln[3].rel',
      'wrong unknown-relation ln[0].rel',
      'wrong-1 datetime-without-zone lastmod',
    ]);
    assert.match(run.stdout, /\/wrong: mime left out \(bad-media-type\): mime is "pdf", which is not a media type/);
    assert.match(run.stdout, /\n4 documents: 1 rejected, 6 wrong fields left out\n$/);
    assert.equal(run.exitCode, 1);
    assert.deepEqual(
      (await place.changes('maps')).toSorted()[0],
      `${published(1)} created b.tif 5 describedby,cite-as`,
    );
    assert.match((await place.changes('maps')).join('\n'), /created a\.tif 1 describedby$/);
  });

  it('is refused from a server that answers with redirects', async () => {
    const proxy = createServer((_, response) => response.writeHead(302, { location: '/login' }).end());
    proxy.listen(0, '127.0.0.1');
    await once(proxy, 'listening');
    const url = `http://127.0.0.1:${(proxy.address() as AddressInfo).port}`;
    try {
      const run = await place.run(`import-index ${url}/old ${PREFIX}`);
      const store = await place.run('status', { TIDEMARK_STORE: url });

      assert.match(run.stderr, /answers with a redirect \(302\).* Elasticsearch itself in TIDEMARK_IMPORT/);
      assert.match(store.stderr, /answers with a redirect \(302\).* Elasticsearch itself in TIDEMARK_STORE/);
      assert.deepEqual([run.exitCode, store.exitCode], [3, 3]);
    } finally {
      proxy.close();
    }
  });

  it('may be limited to one set with another id; changes that got a later time are reported', async () => {
    await place.source.write({
      'm-1': change('m.tif', 'created', 1),
      m: resource('m.tif'),
      't-1': { ...change('t.txt', 'created', 5), resource_set: 'Texte' },
    });
    await place.run('sets add other --url-prefix https://example.org/');

    const run = await place.run(`import-index ${PREFIX} --set maps=old.maps`, place.source.environment());

    assert.match(run.stdout, /^old\.maps \("maps", new\): 1 resource and 1 change; 1 created/);
    assert.match(
      run.stdout,
      /\n {2}1 change got a later time, because the set is published already, or the store has later changes\n3 documents: 0 rejected, 1 passed over\n$/,
    );
    assert.equal((await place.changes('old.maps')).length, 1);
    assert.equal((await place.run('sets show texte')).exitCode, 2);
  });

  it('has the changes of one second ordered by their kinds when several shards contain them', async () => {
    await place.source.make('-2', { number_of_shards: 5 });
    const names = Array.from({ length: 30 }, (_, n) => String(n));
    // "gone" comes and goes within a second; "back" was there before, goes and comes back.
    const triple = (name: string) => ['created', 'updated', 'deleted'].map((kind) => change(`gone-${name}`, kind, 1));
    const pair = (name: string) => ['deleted', 'created'].map((kind) => change(`back-${name}`, kind, 2));
    const documents = names.flatMap((name) => [
      change(`back-${name}`, 'created', 0),
      ...triple(name),
      ...pair(name),
      resource(`back-${name}`),
      // The index does not have its first change any more.
      ...['updated', 'deleted', 'created'].map((kind) => change(`old-${name}`, kind, 1)),
      resource(`old-${name}`),
    ]);
    await place.source.write(Object.fromEntries(documents.map((document, n) => [`d${n}`, document])), '-2');

    const { sets } = await place.import(PREFIX, place.source.environment('-2'));

    assert.deepEqual(sets[0]!.settled, { created: 0, updated: 0, deleted: 0 });
    const changes = (await place.changes('maps')).map((line) => line.split(' '));
    const kindsOf = (name: string) => changes.filter(([, , path]) => path === name).map(([, kind]) => kind);
    for (const name of names) {
      assert.deepEqual(kindsOf(`gone-${name}`), ['created', 'deleted']);
      assert.deepEqual(kindsOf(`back-${name}`), ['created', 'deleted', 'created']);
      assert.equal(kindsOf(`old-${name}`).at(-1), 'created');
    }
  });

  it('has names of sets, which become aliases that events may use', async () => {
    const name = 'Maps & Plans';
    const named = (document: object) => ({ ...document, resource_set: name });
    const post = (set: string, resource_set: string) =>
      place.work.run(['changes', 'post', set], {
        input: JSON.stringify({ location: path('b.tif'), change: 'created', length: 1, resource_set }),
      });
    await place.source.write({ a: named(resource('a.tif')), m: resource('a.tif') });
    await place.run('sets add maps --url-prefix https://data.example.org/present/');

    await place.work.run(['import-index', '--set', `${name}=plans`, ...PREFIX.split(' ')], {
      env: place.source.environment(),
    });
    const second = await place.run(`import-index ${PREFIX} --set maps=old-maps`, place.source.environment());

    assert.match((await place.run('sets show plans')).stdout, /\naliases +Maps & Plans\n/);
    assert.match((await post('plans', name)).stdout, /1 applied/);
    // Another set has that name.
    assert.match(second.stdout, /\n {2}events with the resource_set "maps" are rejected here/);
    assert.match((await post('old-maps', 'maps')).stdout, /other-set/);
    assert.match((await place.run('sets change plans --alias maps')).stderr, /"maps" is the id or an alias of another/);
    await place.run('sets change plans --alias plans-of-old --alias other');
    assert.match((await post('plans', 'plans-of-old')).stdout, /1 unchanged/);
    assert.match((await post('plans', name)).stdout, /other-set/);
  });

  it('may have names of sets with control characters, which are spaces in the title', async () => {
    const name = 'old\tmaps';
    await place.source.write({ a: { ...resource('a.tif'), resource_set: name } });
    await place.import(PREFIX);
    const { title, aliases } = JSON.parse((await place.run('sets show old-maps --json')).stdout);
    assert.deepEqual([title, aliases], ['old maps', [name]]);
  });

  it('may have very long names of sets, whose beginning becomes the title', async () => {
    const name = 'n'.repeat(600);
    await place.source.write({ a: { ...resource('a.tif'), resource_set: name } });
    await place.work.run(['import-index', '--set', `${name}=long`, ...PREFIX.split(' ')], {
      env: place.source.environment(),
    });
    const { title, aliases } = JSON.parse((await place.run('sets show long --json')).stdout);
    assert.deepEqual([title, aliases], [name.slice(0, 500), [name]]);
  });

  it('is refused when it would undo later changes, or has another history', async () => {
    await place.source.write({ a: resource('a.tif'), 'a-1': change('a.tif', 'created', 1) });
    await place.import(PREFIX);
    const event = JSON.stringify({ location: path('a.tif'), change: 'deleted' });
    await place.work.run(['changes', 'post', 'maps'], { input: event });

    const since = await place.run('import-index', place.source.environment());
    const other = await place.run('import-index', place.source.environment('*'));

    assert.match(
      since.stderr,
      /the set maps was changed after it had been taken over, and taking it over again would undo/,
    );
    assert.match(
      other.stderr,
      /the set maps was taken over from "maps" in the index .* \(name that index to go on with it\); take "maps" over under/,
    );
    assert.deepEqual([since.exitCode, other.exitCode, (await place.changes('maps')).length], [2, 2, 2]);
  });

  it('is refused, with what to do, when it cannot be taken over as a whole', async () => {
    await place.source.write({ a: resource('a.tif') });
    const messages: readonly (readonly [args: string, message: RegExp])[] = [
      ['', /has a location of the type rel_path or abs_path: say with --url-prefix/],
      [`${PREFIX} --set mops`, /no documents of the set "mops": it has those of "maps"/],
      [`${PREFIX} --set maps=Maps`, /"Maps" is not a set id/],
      ['http://127.0.0.1:1/old', /Elasticsearch at http:\/\/127\.0\.0\.1:1 cannot be reached/],
    ];
    for (const [args, message] of messages) {
      const { stderr, exitCode } = await place.run(`import-index ${args}`.trim(), place.source.environment());
      assert.match(stderr, message);
      assert.ok(exitCode === 2 || exitCode === 3);
    }

    const missing = await place.run('import-index', place.source.environment(',none'));
    assert.match(missing.stderr, /one of the indices .*,none does not exist on Elasticsearch at /);
    await place.source.write({ b: { ...resource('b.tif'), resource_set: 'Maps' } });
    const twice = await place.run(`import-index ${PREFIX}`, place.source.environment());
    assert.match(twice.stderr, /the sets "maps" and "Maps" would both get the id maps|"Maps" and "maps" would both/);
    await place.source.write({
      c: { ...resource('c.tif'), doc_type: 'resource', order: '0000000001/c.tif', stamp: 2 },
    });
    const own = await place.run(`import-index ${PREFIX} --set maps`, place.source.environment());
    assert.match(own.stderr, /Tidemark itself wrote this index: name its server in TIDEMARK_STORE/);
  });
});
