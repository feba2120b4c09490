import assert from 'node:assert/strict';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describeOnEachStore } from '../support/each-store.ts';
import { findFreePort } from '../support/free-port.ts';
import { until } from '../support/until.ts';
import { marc } from '../support/upload-packages.ts';
import { Workplace } from '../support/workplace.ts';

const MAPPING = {
  language: 'xpath',
  namespaces: { marc: 'http://www.loc.gov/MARC21/slim' },
  fields: {
    '@type': { value: 'ore:Aggregation' },
    'edm:aggregatedCHO': {
      fields: { 'dcterms:title': { from: '//marc:datafield[@tag="500"]/marc:subfield', required: true } },
    },
  },
};

describeOnEachStore('harvests of streams', (store, itOnce) => {
  let place: Workplace;
  let url: string;
  let uploads = 0;

  beforeEach(async () => {
    place = await Workplace.make(store, { mayBeMade: true });
    uploads = 0;
    await writeFile(join(place.folder, 'mapping.json'), JSON.stringify(MAPPING));
    await done('organizations', 'add', 'lane');
    await done('streams', 'add', 'lane', 'main');
    const port = String(await findFreePort());
    url = `http://127.0.0.1:${port}`;
    await place
      .start(['serve', '--port', port, '--records-poll-interval', '1s', '--log-level', 'silent'])
      .says(/Serving/);
  });
  afterEach(() => place.close());

  const done = async (...args: readonly string[]) => {
    const { exitCode, stdout, stderr } = await place.run(args);
    assert.equal(exitCode, 0, stderr);
    return stdout.trim();
  };
  const upload = async (records: Readonly<Record<string, string>>, deleted: readonly string[] = []) => {
    const bytes = Object.entries(records).map(([id, note]) => marc(id, note));
    await writeFile(join(place.folder, 'night.mrc'), Buffer.concat(bytes));
    await writeFile(join(place.folder, 'deleted.txt'), `${deleted.join('\n')}\n`);
    await done('upload', 'lane', 'night.mrc', ...(deleted.length > 0 ? ['deleted.txt'] : []));
    uploads += 1;
    await done('uploads', 'show', `lane/main/${uploads}`, '--wait');
  };
  const harvest = (from: string) => done('activity', 'run', 'harvest', 'lane', '--from', from);
  const cat = async (key: string) =>
    (await done('artifacts', 'cat', key, '--json'))
      .split('\n')
      .map((line) => JSON.parse(line))
      .sort((one, other) => (one.id < other.id ? -1 : 1));
  const notes = async (key: string) =>
    (await cat(key)).map(({ id, document }) => [id, /<subfield code="a">([^<]*)</.exec(document)?.[1]]);
  const runs = async (activity: string) =>
    JSON.parse(await done('activity', 'list', 'lane', '--activity', activity, '--json')).runs;

  it('make an artifact of the MARCXML of each record, which is mapped and indexed; then one of the next state', async () => {
    await upload({ a: 'first', b: 'second', c: 'third', d: 'fourth' });
    const first = await harvest('stream:lane/main');
    const [record] = await cat(first);
    assert.deepEqual([record.id, record.provider, record.mimetype], ['a', 'lane', 'application/xml']);
    assert.match(record.document, /^<\?xml [^>]*>\s*<record xmlns="http:\/\/www\.loc\.gov\/MARC21\/slim"/);
    const [run] = await runs('harvest');
    assert.match(run.generator, /^stream:lane\/main\?upload=1&until=\d{16}$/);
    assert.equal((await runs('harvest')).length, 1);
    assert.ok((await done('artifacts', 'show', first)).includes(run.generator));

    const mapping = await done('activity', 'run', 'mapping', 'lane', '--transform', 'mapping.json');
    assert.equal((await cat(mapping)).length, 4);
    assert.equal((await cat(await done('activity', 'run', 'indexing', 'lane'))).length, 4);

    await upload({ b: 'changed', e: 'new' }, ['c']);
    assert.deepEqual(await notes(await harvest('stream:lane')), [
      ['a', 'first'],
      ['b', 'changed'],
      ['d', 'fourth'],
      ['e', 'new'],
    ]);
    assert.match((await runs('harvest'))[0].generator, /^stream:lane\/main\?upload=2&/);
    assert.equal((await cat(first)).length, 4);
  });

  it('follow the stream, and lead to the records of a set', async () => {
    await done('activity', 'schedule', 'harvest', 'lane', '--from', 'stream:lane', '--after', 'stream');
    await done('activity', 'schedule', 'mapping', 'lane', '--after', 'harvest', '--transform', 'mapping.json');
    await done('activity', 'schedule', 'indexing', 'lane', '--after', 'mapping');
    await done('sets', 'add', 'lane-index', '--records', 'lane/indexing');
    const listed = async () => {
      const response = await fetch(`${url}/sets/lane-index/resourcelist.xml`);
      const locs = (await response.text()).matchAll(/<loc>[^<]*\/resources\/([a-z]+)</g);
      return [...locs].map(([, id]) => id).join();
    };
    await upload({ a: 'first', b: 'second', c: 'third' });
    await until('the records of the first upload', async () => (await listed()) === 'a,b,c');
    await upload({ d: 'fourth' }, ['b']);
    await until('the records of the second upload', async () => (await listed()) === 'a,c,d');
    const harvests = await runs('harvest');
    assert.deepEqual(
      harvests.map(({ state, trigger, after }: Record<string, string>) => [state, trigger, after]),
      [
        ['succeeded', 'chain', 'stream'],
        ['succeeded', 'chain', 'stream'],
      ],
    );
  });

  itOnce('are refused for what is no stream, and when they do not fit', async () => {
    await done('organizations', 'add', 'empty');
    const refused: Readonly<Record<string, RegExp>> = {
      'run harvest lane --from stream:lane/mian': /no stream "mian": did you mean "main"/,
      'run harvest lane --from stream:absent': /there is no organization "absent"/,
      'run harvest lane --from stream:empty': /the organization empty has no stream yet/,
      'run harvest lane --from stream:': /"stream:" is not a stream: use stream:ORG\/STREAM/,
      'run harvest lane --from stream:lane --source http://a': /a harvest of a stream needs no --source/,
      'schedule harvest lane --from /data --after stream':
        /only a harvest --from stream:ORG\/STREAM can run after each/,
      'schedule mapping lane --after stream': /only a harvest --from stream:ORG\/STREAM can run after each/,
    };
    for (const [line, message] of Object.entries(refused)) {
      const { exitCode, stderr } = await place.run(['activity', ...line.split(' ')]);
      assert.equal(exitCode, 2, line);
      assert.match(stderr, message, line);
    }
  });
});
