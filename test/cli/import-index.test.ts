import assert from 'node:assert/strict';
import { formatStamp } from '../../src/core/stamp.ts';
import { describeOnEachStore } from '../support/each-store.ts';
import { useElasticsearch } from '../support/elasticsearch.ts';
import { untilStopped } from '../support/fault-source.ts';
import { Follower } from '../support/follower.ts';
import { findFreePort } from '../support/free-port.ts';
import { at, change, ImportPlace, PREFIX, path, published, resource } from '../support/import-place.ts';
import { jsonLines } from '../support/json-lines.ts';
import { SetReader } from '../support/set-reader.ts';

const MD5 = 'd41d8cd98f00b204e9800998ecf8427e';
/** More than one commit. */
const MANY = 5_500;

describeOnEachStore('tidemark import-index', (store, itOnce) => {
  const server = useElasticsearch();
  let place: ImportPlace;

  beforeEach(async () => {
    place = await ImportPlace.make(store, server.url);
  });

  afterEach(() => place.close());

  it('makes the resource documents the state, and the change documents the history, each at its time', async () => {
    await place.source.write({
      a: resource('a.tif', {
        // As a nested object may be written.
        location: [path('a.tif')],
        length: '4711',
        md5: MD5,
        mime: 'image/tiff',
        lastmod: at(9),
        ln: [{ rel: 'describedby', href: [path('a.xml')], mime: 'application/xml' }],
        timestamp: at(10),
      }),
      'a-1': change('a.tif', 'created', 1, { lastmod: '2017-02-03T12:00:00Z' }),
      'a-2': change('a.tif', 'updated', 10, { lastmod: at(9) }),
      'b-1': change('b.tif', 'created', 1),
      'b-2': change('b.tif', 'deleted', 5),
      // Without a change document, and with nothing but a change's time of writing.
      xml: resource('a.xml', { timestamp: at(3) }),
      c: resource('c.tif', { length: 5 }),
      'c-1': { ...change('c.tif', 'created', 0), datetime: undefined, timestamp: '2017-02-03T12:02:00.500Z' },
    });

    const { sets, rejected } = await place.import(PREFIX);

    assert.deepEqual(await place.changes('maps'), [
      `${published(1)} created a.tif 2017-02-03T12:00:00Z`,
      `${published(1, 2)} created b.tif`,
      `${published(2, 500_000)} created c.tif 5`,
      `${published(3)} created a.xml`,
      `${published(5)} deleted b.tif`,
      `${published(10)} updated a.tif 2017-02-03T12:09:00Z 4711 md5:${MD5} image/tiff describedby`,
    ]);
    const { name, isNew, resources, changes: read, settled } = sets[0]!;
    assert.deepEqual({ name, isNew, resources, read }, { name: 'maps', isNew: true, resources: 3, read: 5 });
    assert.deepEqual(settled, { created: 0, updated: 0, deleted: 0 });
    assert.equal(rejected.total, 0);
    const set = JSON.parse((await place.run('sets show maps --json')).stdout);
    assert.deepEqual([set.title, set.urlPrefix, set.ready], ['maps', 'https://data.example.org/maps/', true]);
    assert.match(
      (await place.run('verify maps')).stdout,
      /^maps: no difference in 6 changes, 3 resources, 1 tombstone/,
    );
  });

  itOnce('gives resources the orders of their documents, so that a late event is superseded', async () => {
    await place.source.write({
      a: resource('a.tif', { order: 7, length: 1 }),
      'a-1': change('a.tif', 'created', 1, { order: 3 }),
      'a-2': change('a.tif', 'updated', 2, { order: 5, length: 1 }),
      // A change that the resource document does not follow, and one that has a higher order than that.
      'b-1': change('b.tif', 'created', 1, { order: 9 }),
      'b-2': change('b.tif', 'updated', 2, { order: 4, length: 3 }),
      b: resource('b.tif', { order: 4, length: 3 }),
      'c-1': change('c.tif', 'created', 1, { order: 2 }),
      'c-2': change('c.tif', 'deleted', 2, { order: 6 }),
    });

    await place.import(PREFIX);

    const ordersOf = async () => {
      const { stdout } = await place.run('changes list maps --json');
      const lines = jsonLines(stdout);
      return lines.map(({ change, location, length, order }) => [change, location.value, length, order]);
    };
    const imported = [
      ['created', 'a.tif', undefined, 3],
      ['created', 'b.tif', undefined, 9],
      ['created', 'c.tif', undefined, 2],
      ['updated', 'a.tif', 1, 7],
      ['deleted', 'c.tif', undefined, 6],
      ['updated', 'b.tif', 3, 9],
    ];
    assert.deepEqual(await ordersOf(), imported);
    const late = ['a', 'b', 'c'].map((name) => ({ location: path(`${name}.tif`), change: 'updated', order: 5 }));
    await place.work.run(['changes', 'post', 'maps'], { input: late.map((event) => JSON.stringify(event)).join('\n') });
    assert.deepEqual(await ordersOf(), imported);
    await place.import(PREFIX);
    assert.deepEqual(await ordersOf(), imported);
    assert.match((await place.run('verify maps')).stdout, /^maps: no difference in 6 changes/);
  });

  itOnce('publishes lists that agree, with the times of the history', async () => {
    await place.source.write({
      ...Object.fromEntries(Array.from({ length: 20 }, (_, n) => [`r${n}`, resource(`${n}.tif`, { length: n })])),
      ...Object.fromEntries(Array.from({ length: 25 }, (_, n) => [`c${n}`, change(`${n}.tif`, 'created', n)])),
      ...Object.fromEntries(Array.from({ length: 5 }, (_, n) => [`d${n}`, change(`${n + 20}.tif`, 'deleted', n + 40)])),
    });
    const port = await findFreePort();
    const env = { TIDEMARK_PORT: String(port), TIDEMARK_BASE_URL: `http://127.0.0.1:${port}` };
    await place.import(PREFIX, env);
    const serving = place.start('serve', env);
    await serving.says(/listening|serving/i);

    const reader = new SetReader(`http://127.0.0.1:${port}/sets/maps/`);
    const { resources, at: listed } = await reader.resourceList();
    const changes = (await reader.changeWindows()).flatMap((window) => window.changes);

    assert.equal(resources.size, 20);
    assert.deepEqual(
      [changes.length, changes[0]!.datetime, changes.at(-1)!.datetime],
      [30, published(0), published(44)],
    );
    assert.ok(listed > published(44));
    const fold = new Map<string, number | undefined>();
    for (const { uri, change: kind, length } of changes) kind === 'deleted' ? fold.delete(uri) : fold.set(uri, length);
    assert.deepEqual(fold, new Map([...resources].map(([uri, { length }]) => [uri, length])));
    assert.equal(await (await Follower.start(reader)).step(), 0);
  });

  itOnce('follows the resource documents where the changes say something else', async () => {
    await place.source.write({
      'lost-1': change('lost.tif', 'created', 1),
      back: resource('back.tif', { length: 1 }),
      'back-1': change('back.tif', 'created', 1),
      'back-2': change('back.tif', 'deleted', 2),
    });

    const begun = formatStamp(Date.now() * 1000);
    const { sets } = await place.import(PREFIX);

    assert.deepEqual(sets[0]!.settled, { created: 1, updated: 0, deleted: 1 });
    const changes = await place.changes('maps');
    assert.deepEqual(changes.map(withoutTime), [
      'created lost.tif',
      'created back.tif',
      'deleted back.tif',
      'created back.tif 1',
      'deleted lost.tif',
    ]);
    assert.ok(changes.slice(3).every((line) => line >= begun));
  });

  it('changes nothing when it is repeated, and takes over what came since', async () => {
    await place.source.write({ a: resource('a.tif', { length: 1 }), 'a-1': change('a.tif', 'created', 1) });
    await place.import(PREFIX);
    const before = await place.changes('maps');

    const { sets: repeated } = await place.import('');
    assert.deepEqual(await place.changes('maps'), before);
    assert.deepEqual([repeated[0]!.isNew, repeated[0]!.history!.known], [false, 1]);

    const begun = formatStamp(Date.now() * 1000);
    await place.source.write({
      a: resource('a.tif', { length: 2 }),
      'a-2': change('a.tif', 'updated', 2),
      'b-1': change('b.tif', 'created', 3),
      b: resource('b.tif'),
    });
    await place.import('');
    const second = (await place.changes('maps')).slice(1);
    assert.deepEqual(second.map(withoutTime), ['updated a.tif 2', 'created b.tif']);

    await place.source.write({ 'b-2': change('b.tif', 'deleted', 4) });
    await place.source.delete('b');
    const { sets } = await place.import('');
    const third = (await place.changes('maps')).slice(3);
    assert.deepEqual(third.map(withoutTime), ['deleted b.tif']);
    assert.deepEqual([sets[0]!.history!.known, sets[0]!.history!.restamped], [3, 1]);
    assert.ok([...second, ...third].every((line) => line >= begun));
  });

  itOnce('publishes what a second import brings to clients that ask by their own clock', async () => {
    await place.source.write({
      a: resource('a.tif', { length: 1 }),
      'a-1': change('a.tif', 'created', 1),
      b: resource('b.tif'),
      'b-1': change('b.tif', 'created', 1),
    });
    const port = await findFreePort();
    const env = { TIDEMARK_PORT: String(port), TIDEMARK_BASE_URL: `http://127.0.0.1:${port}` };
    await place.import(PREFIX, env);
    await place.start('serve', env).says(/listening|serving/i);
    const clock = new Date().toISOString();
    await place.source.write({
      a: resource('a.tif', { length: 2 }),
      'a-2': change('a.tif', 'updated', 2),
      'b-2': change('b.tif', 'deleted', 3),
      c: resource('c.tif'),
      'c-1': change('c.tif', 'created', 4),
      // A set that is new keeps its times beside one that does not.
      t: { ...resource('t.txt'), resource_set: 'texts' },
      't-1': { ...change('t.txt', 'created', 5), resource_set: 'texts' },
    });
    await place.source.delete('b');
    const { sets } = await place.import(PREFIX, env);

    const list = await new SetReader(`http://127.0.0.1:${port}/sets/maps/`).document(`changelist.xml?from=${clock}`);
    assert.deepEqual(
      [...list.text.matchAll(/change="(\w+)"/g)].map(([, kind]) => kind),
      ['updated', 'deleted', 'created'],
    );
    assert.deepEqual(
      sets.map(({ set, history }) => [set, history.restamped]),
      [
        ['maps', 3],
        ['texts', 0],
      ],
    );
    assert.deepEqual(await place.changes('texts'), [`${published(5)} created t.txt`]);
  });

  it('goes on where it was killed', async () => {
    const names = Array.from({ length: MANY }, (_, n) => `${n}.tif`);
    const time = (n: number) => new Date(Date.UTC(2017, 1, 3) + n * 1000).toISOString();
    await place.source.write({
      ...Object.fromEntries(names.map((name, n) => [`c${n}`, { ...change(name, 'created', 0), datetime: time(n) }])),
      ...Object.fromEntries(names.slice(10).map((name, n) => [`r${n}`, resource(name, { length: n })])),
    });

    const killed = await place.run(`import-index ${PREFIX}`, {
      ...place.source.environment(),
      TIDEMARK_FAILPOINT: 'commit.acknowledged:kill',
    });
    const { ready, changes: before } = JSON.parse((await place.run('sets show maps --json')).stdout);
    const { sets } = await place.import('');

    assert.deepEqual([killed.exitCode, ready], [null, false]);
    assert.ok(before > 0 && before < MANY);
    assert.deepEqual([sets[0]!.history!.known, sets[0]!.settled!.deleted], [before, 10]);
    const changes = await place.changes('maps');
    assert.equal(changes.length, MANY + 10);
    assert.ok(
      changes.slice(0, MANY).every((line, n) => line.startsWith(`${time(n).slice(0, 19)}.000000Z created ${n}.tif`)),
    );
    assert.match((await place.run('verify maps')).stdout, /^maps: no difference/);
    assert.equal(JSON.parse((await place.run('sets show maps --json')).stdout).ready, true);
  });

  itOnce('goes on when it was stopped, unless something else has changed the set', async () => {
    await place.source.write({ a: resource('a.tif', { length: 1 }), 'a-1': change('a.tif', 'created', 1) });
    const stopped = place.start(`import-index ${PREFIX}`, {
      ...place.source.environment(),
      TIDEMARK_FAILPOINT: 'commit.begun:stop',
    });
    await untilStopped({ process: stopped });
    stopped.signal('SIGINT');
    stopped.signal('SIGCONT');
    assert.equal(await stopped.exit(), 1, stopped.stderr);
    const { ready, changes } = JSON.parse((await place.run('sets show maps --json')).stdout);
    assert.deepEqual([ready, changes], [false, 1]);

    const copy = await place.run('backup copy.db');
    assert.equal(copy.exitCode, 0, copy.stderr);
    const { sets } = await place.import('');
    assert.equal(sets[0]!.history!.known, 1);
    assert.equal(JSON.parse((await place.run('sets show maps --json')).stdout).ready, true);

    await place.run('restore copy.db --confirm');
    const event = JSON.stringify({ location: path('b.tif'), change: 'created' });
    await place.work.run(['changes', 'post', 'maps'], { input: event });
    const refused = await place.run('import-index', place.source.environment());
    assert.match(refused.stderr, /was changed after it had been taken over/);
  });

  itOnce('goes on when the set was moved and renewed', async () => {
    const url = (value: string) => ({ resource_set: 'maps', location: { value, type: 'url' } });
    await place.source.write({
      a: resource('a.tif', { length: 1 }),
      'a-1': change('a.tif', 'created', 1),
      b: url('https://next.example.org/b.tif'),
      'b-1': { ...change('', 'created', 1), ...url('https://next.example.org/b.tif') },
    });
    await place.import(PREFIX);
    await place.run('sets move maps https://next.example.org/ --confirm-move');
    await place.run('sets renew maps --confirm');
    await place.source.write({ a: resource('a.tif', { length: 2 }), 'a-2': change('a.tif', 'updated', 2) });

    const { sets } = await place.import('');

    assert.deepEqual(sets[0]!.settled, { created: 0, updated: 0, deleted: 0 });
    assert.deepEqual((await place.changes('maps')).slice(2).map(withoutTime), [
      'deleted https://next.example.org/b.tif',
      'created b.tif',
      'updated a.tif 2',
    ]);
    assert.match((await place.run('verify maps')).stdout, /^maps: no difference/);
  });

  itOnce('makes no store to report what it would take over', async () => {
    await place.source.write({ a: resource('a.tif') });

    const dryRun = await place.run(`import-index ${PREFIX} --dry-run`, place.source.environment());

    assert.match(dryRun.stdout, /^maps \("maps", new\): 1 resource and 0 changes$/m);
    assert.match((await place.run('sets list')).stderr, /^tidemark: there is no store /);
  });

  it('keeps the times of several sets in several indices', async () => {
    await place.source.make('-2', { number_of_shards: 3 });
    await place.source.write({
      'm-1': change('m.tif', 'created', 1),
      'm-2': change('m.tif', 'updated', 9, { length: 2 }),
    });
    await place.source.write(
      { m: resource('m.tif', { length: 3 }), t: { ...resource('t.txt'), resource_set: 'Texte & Töne' } },
      '-2',
    );
    await place.source.write({ 't-1': { ...change('t.txt', 'created', 5), resource_set: 'Texte & Töne' } }, '-2');

    const { sets } = await place.import(PREFIX, place.source.environment('*'));

    assert.deepEqual(sets.map(({ set, name }) => [set, name]).toSorted(), [
      ['maps', 'maps'],
      ['texte-tone', 'Texte & Töne'],
    ]);
    assert.ok(sets.every(({ history }) => history!.restamped === 0));
    assert.deepEqual(await place.changes('maps'), [`${published(1)} created m.tif`, `${published(9)} updated m.tif 3`]);
    assert.deepEqual(await place.changes('texte-tone'), [`${published(5)} created t.txt`]);
  });
});

function withoutTime(line: string): string {
  return line.replace(/^\S+ /, '');
}
