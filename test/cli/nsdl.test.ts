import assert from 'node:assert/strict';
import { copyFileSync, existsSync, mkdirSync, readdirSync, readFileSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { pieceText } from '../../src/nsdl/piece.ts';
import { triggerText } from '../../src/nsdl/trigger-file.ts';
import { SQLITE } from '../support/each-store.ts';
import { type FileServer, startFileServer } from '../support/file-server.ts';
import { OaiServer, oaiRecords } from '../support/oai-server.ts';
import { until } from '../support/until.ts';
import { Workplace } from '../support/workplace.ts';

const HANDLE = '2200/20061002124958494T';
const UUID = '6a92d7e8-0d1f-4ca4-8a6b-1f2e3d4c5b6a';
const NAME = 'maps_2008-05-11T23-00-02Z_harvest.xml';
const TRIGGERS = 'watched_folders';
const PIECES = 'ingest';

describe("NSDL's folders", () => {
  let repository: OaiServer;
  let manager: FileServer;
  let place: Workplace;
  let other: Workplace;
  let status: number;

  beforeEach(async () => {
    status = 200;
    repository = await OaiServer.start({ records: oaiRecords(5) });
    manager = await startFileServer((_, response) => response.writeHead(status).end());
    place = await Workplace.make(SQLITE);
    other = await Workplace.make(SQLITE);
    await add(place);
  });
  afterEach(async () => {
    await place.close();
    await other.close();
    await repository.close();
    await manager.close();
  });

  const folder = (of: Workplace, ...names: readonly string[]) => join(of.folder, 'nsdl', ...names);
  const filesIn = (...names: readonly string[]) =>
    existsSync(folder(place, ...names)) ? readdirSync(folder(place, ...names)).sort() : [];
  const env = (of: Workplace) => ({
    TIDEMARK_NSDL_FOLDER: folder(of),
    TIDEMARK_NSDL_PIECE_ITEMS: '2',
    TIDEMARK_NSDL_MESSAGE: `${manager.url}/log_results.do`,
    TIDEMARK_HARVEST_NETWORKS: '127.0.0.1',
    TIDEMARK_JOB_LEASE: '1s',
    TIDEMARK_DROP_LIMIT: '100%',
  });
  const json = async (of: Workplace, ...args: readonly string[]) => {
    const { stdout, stderr } = await of.run([...args, '--json'], { env: env(of) });
    assert.equal(stderr, '');
    return JSON.parse(stdout);
  };
  const add = async (to: Workplace) => {
    const fields = ['--base-url', repository.url, '--format', 'oai_dc', '--handle', HANDLE];
    await json(to, 'collections', 'add', 'maps', ...fields, '--message', `${manager.url}/log_results.do`);
    for (const name of [TRIGGERS, PIECES]) mkdirSync(folder(to, name, 'ToBeProcessed'), { recursive: true });
  };
  const write = (text: string, name = NAME) => writeFileSync(folder(place, TRIGGERS, 'ToBeProcessed', name), text);
  const trigger = (changes: Partial<Parameters<typeof triggerText>[0]> = {}) =>
    triggerText({
      ...{ collectionNA: HANDLE, collectionId: 'maps', runType: 'full_reharvest', baseUrl: repository.url },
      ...{ format: 'oai_dc', sets: [], uuid: UUID, ...changes },
    });
  const ended = (of: Workplace, number = 1) =>
    until(`run ${number} has ended`, async () => {
      const { exitCode, stdout } = await of.run(['harvests', 'show', 'maps', String(number), '--json'], {
        env: env(of),
      });
      const run = exitCode === 0 ? JSON.parse(stdout) : undefined;
      return run?.state === 'ended' && run;
    });
  const messages = () => manager.requests.map((url) => new URL(url, manager.url).searchParams);

  it('harvest for a trigger file, write the pieces, ingest them here and elsewhere, and send one message', async () => {
    await add(other);
    write(trigger());
    place.startProcess(['work'], { env: env(place) });
    const run = await ended(place);
    assert.deepEqual([run.kind, run.uuid, run.status], ['full', UUID, 2]);
    assert.deepEqual(filesIn(TRIGGERS, 'ToBeProcessed'), []);
    assert.deepEqual(filesIn(TRIGGERS, 'Processed'), [NAME]);
    const pieces = [1, 2, 3].map((piece) => `${UUID}_00000${piece}.dbinsert.xml`);
    assert.deepEqual(filesIn(PIECES, 'ToBeProcessed'), pieces);
    const text = readFileSync(folder(place, PIECES, 'ToBeProcessed', pieces[2]!), 'utf8');
    assert.match(text, /<pieces>3<\/pieces>\s*<piece>3<\/piece>/);
    assert.match(text, /<native format="oai_dc"><oai_dc:dc [\s\S]*<nsdl_dc:nsdl_dc [^>]*>[\s\S]*oai:example\.org:5/);
    await json(place, 'nsdl', 'look');
    await until('the pieces are ingested', async () => filesIn(PIECES, 'Done').length === 3);
    const handles = await until('the handles are listed', async () => {
      const names = filesIn(PIECES, 'handles');
      return names.length === 4 && names;
    });
    assert.ok(handles.includes(`${UUID}.hdls`));
    assert.equal(readFileSync(folder(place, PIECES, 'handles', `${UUID}_000001.hdls`), 'utf8').split('\n').length, 3);
    const [message, ...others] = await until('the message was sent', async () => messages().length > 0 && messages());
    assert.deepEqual([message!.get('status'), message!.get('uuid'), others.length], ['2', UUID, 0]);
    assert.match(message!.get('ts')!, /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$/);
    // The same request again is no other harvest.
    write(trigger());
    await json(place, 'nsdl', 'look');
    assert.equal((await json(place, 'harvests', 'list', 'maps')).harvests.length, 1);
    for (const name of pieces) {
      copyFileSync(folder(place, PIECES, 'Done', name), folder(other, PIECES, 'ToBeProcessed', name));
    }
    other.startProcess(['work'], { env: env(other) });
    const ingested = await ended(other);
    assert.deepEqual([ingested.uuid, ingested.status, ingested.outcome.created], [UUID, 2, 5]);
  });

  it('harvest what a trigger file says: its base URL, sets and date', async () => {
    const moved = await OaiServer.start({ records: oaiRecords(3, { sets: ['a'] }), sets: ['a', 'b'] });
    try {
      const request = { baseUrl: moved.url, runType: 'harvest', sets: ['a'], fromDate: '2020-01-01' } as const;
      write(trigger(request));
      write(trigger({ ...request, sets: ['c'], uuid: 'u-2' }), 'x_2020-01-01T00-00-00Z_harvest.xml');
      const { stdout } = await place.run(['nsdl', 'look'], { env: env(place) });
      assert.match(stdout, /run 1 of maps, harvest\nx_2020.*refused, status 4: the repository has no set "c"/);
      place.startProcess(['work'], { env: env(place) });
      assert.equal((await ended(place)).status, 2);
      const asked = new URLSearchParams(moved.queriesOf('ListRecords')[0]);
      assert.deepEqual([asked.get('set'), asked.get('from')], ['a', '2020-01-01']);
      assert.equal((await json(place, 'collections', 'show', 'maps')).baseUrl, moved.url);
    } finally {
      await moved.close();
    }
  });

  it('write trigger files by a command, too', async () => {
    const { file, uuid } = await json(place, 'nsdl', 'trigger', 'maps', '--run-type', 'test');
    assert.match(file, /^maps_\d{4}-\d\d-\d\dT\d\d-\d\d-\d\dZ_harvest\.xml$/);
    const { triggers } = await json(place, 'nsdl', 'look');
    assert.deepEqual(triggers, [{ file, collection: 'maps', run: 1, runType: 'test', uuid }]);
    // The second one of a collection waits until the first has ended, and so does the third.
    for (const _ of [2, 3]) await json(place, 'nsdl', 'trigger', 'maps');
    await json(place, 'nsdl', 'look');
    const { harvests } = await json(place, 'harvests', 'list', 'maps');
    assert.deepEqual(
      harvests.map(({ number, kind, state }: Readonly<Record<string, unknown>>) => [number, kind, state]),
      [
        [3, 'incremental', 'waiting'],
        [2, 'incremental', 'waiting'],
        [1, 'test', 'waiting'],
      ],
    );
  });

  it('ingest the pieces of another program as one delivery, and remove what a full harvest did not mention', async () => {
    const header = { collectionNA: HANDLE, uuid: 'other-1', runType: 'full_reharvest', pieces: 2 };
    const content = {
      format: 'oai_dc',
      native: '<d:dc xmlns:d="http://www.openarchives.org/OAI/2.0/oai_dc/"/>',
      nsdlDc: '<n:nsdl_dc xmlns:n="http://ns.nsdl.org/nsdl_dc_v1.02/"/>',
    };
    const item = (at: number) => ({ identifier: `oai:example.org:${at}`, datestamp: '2020-01-01', content });
    const send = (
      uuid: string,
      piece: number,
      items: Parameters<typeof pieceText>[1],
      change = (text: string) => text,
    ) => {
      const text = [...pieceText({ ...header, uuid, piece }, items)].join('');
      writeFileSync(folder(place, PIECES, 'ToBeProcessed', `${uuid}.${piece}.dbinsert.xml`), change(text));
    };
    const work = place.startProcess(['work'], { env: env(place) });
    await work.says(/Running jobs|"working"/);
    send('other-1', 1, [item(1), item(2)]);
    const waiting = await json(place, 'nsdl', 'look');
    assert.deepEqual(waiting.pieces[0].outcome, { waits: '1 of 2 pieces are there' });
    send('other-1', 2, [item(3), item(4)]);
    await json(place, 'nsdl', 'look');
    assert.equal((await ended(place)).status, 2);
    const withoutNsdlDc = (text: string) => text.replace(/<n:nsdl_dc.*?\/>/, '').replace(/xmlns="urn:[^"]*"/, '');
    send('other-2', 2, [item(5)]);
    send('other-2', 1, [item(1), item(2)], withoutNsdlDc);
    await json(place, 'nsdl', 'look');
    const { status, outcome } = await ended(place, 2);
    // The first record was seen and not read: it stays as it is.
    assert.deepEqual([status, outcome.created, outcome.errors, outcome.deleted], [3, 1, 1, 2]);
    const before = readFileSync(folder(place, PIECES, 'handles', 'other-2.hdls'), 'utf8');
    const after = ['1', '2'].map((piece) =>
      readFileSync(folder(place, PIECES, 'handles', `other-2_00000${piece}.hdls`), 'utf8'),
    );
    const removed = before.split('\n').filter((line) => !after.join('').includes(line));
    assert.deepEqual(
      removed.map((line) => line.slice(-1)),
      ['3', '4'],
    );
    assert.deepEqual(
      (await until('two messages', async () => messages().length === 2 && messages())).map((sent) =>
        sent.get('status'),
      ),
      ['2', '3'],
    );
  });

  it('refuse what harvests nothing or the wrong thing, with status 4, once', async () => {
    const refused: Readonly<Record<string, string>> = {
      'a_2020-01-01T00-00-00Z_harvest.xml': trigger({ collectionNA: 'unknown', uuid: 'u-1' }),
      'b_2020-01-01T00-00-00Z_harvest.xml': trigger({ uuid: 'u-2' }).replace('harvest_v1.00/"', 'harvest_v2.00/"'),
      'c.xml': trigger({ uuid: 'u-3' }),
      'd_2020-01-01T00-00-00Z_harvest.xml': trigger({ uuid: 'u-4' }).replace(
        '</format>',
        '</format><format>b</format>',
      ),
      'e_2020-01-01T00-00-00Z_harvest.xml': trigger({ uuid: 'u-5', baseUrl: 'file:///etc/passwd' }),
      'f_2020-01-01T00-00-00Z_harvest.xml': trigger({ uuid: 'u-6', baseUrl: 'http://10.0.0.1/oai' }),
      'g_2020-01-01T00-00-00Z_harvest.xml': trigger({ uuid: 'u-7' }).slice(0, -20),
    };
    for (const [name, text] of Object.entries(refused)) write(text, name);
    const early = await json(place, 'nsdl', 'look');
    assert.equal(early.triggers.filter((one: object) => 'waits' in one).length, 1, 'one may still be written');
    const old = folder(place, TRIGGERS, 'ToBeProcessed', 'g_2020-01-01T00-00-00Z_harvest.xml');
    utimesSync(old, new Date(0), new Date(0));
    status = 503;
    const { exitCode, stdout } = await place.run(['nsdl', 'look'], { env: env(place) });
    assert.equal(exitCode, 1);
    assert.match(stdout, /g_2020.*: refused, status 4: it is not well-formed XML/);
    status = 200;
    assert.deepEqual(filesIn(TRIGGERS, 'Failed'), Object.keys(refused));
    assert.deepEqual(
      messages()
        .map((sent) => [sent.get('uuid'), sent.get('status')])
        .sort(),
      [...[1, 2, 3, 4, 5, 6, 7].map((at) => [`u-${at}`, '4'])],
    );
    await json(place, 'nsdl', 'look');
    const { refusals } = await json(place, 'nsdl', 'status');
    assert.equal(refusals.filter((one: { message: { accepted?: number } }) => one.message.accepted).length, 7);
    assert.deepEqual((await json(place, 'harvests', 'list', 'maps')).harvests, []);
  });

  it('refuse pieces that never become complete, after a time', async () => {
    const piece = { collectionNA: HANDLE, uuid: 'late', runType: 'harvest', pieces: 2, piece: 1 };
    const path = (name: string) => folder(place, PIECES, 'ToBeProcessed', name);
    writeFileSync(path('a.dbinsert.xml'), [...pieceText(piece, [])].join(''));
    copyFileSync(path('a.dbinsert.xml'), path('b.dbinsert.xml'));
    const [twins] = (await json(place, 'nsdl', 'look')).pieces;
    assert.deepEqual(twins.outcome, { waits: 'a.dbinsert.xml and b.dbinsert.xml are both piece 1' });
    const late = { ...env(place), TIDEMARK_NSDL_PIECES_TIMEOUT: '1ms' };
    const { exitCode } = await place.run(['nsdl', 'look'], { env: late });
    assert.equal(exitCode, 1);
    assert.deepEqual(filesIn(PIECES, 'Failed'), ['a.dbinsert.xml', 'b.dbinsert.xml']);
    assert.deepEqual(
      messages().map((sent) => [sent.get('uuid'), sent.get('status')]),
      [['late', '4']],
    );
  });

  it('write all pieces, and ingest each, when processes are killed between two of them', async () => {
    write(trigger());
    const killedAt = async (failpoint: string) =>
      place.startProcess(['work'], { env: { ...env(place), TIDEMARK_FAILPOINT: failpoint } }).exit();
    await killedAt('nsdl.written:kill@2');
    assert.equal(filesIn(PIECES, 'ToBeProcessed').filter((name) => name.endsWith('.xml')).length, 2);
    const work = place.startProcess(['work'], { env: env(place) });
    assert.equal((await ended(place)).status, 2);
    assert.equal(filesIn(PIECES, 'ToBeProcessed').length, 3);
    // One that was sent, but not recorded, would be sent again.
    await until('the message is recorded', async () => (await ended(place)).message.accepted !== undefined);
    await work.kill();
    await json(place, 'nsdl', 'look');
    await killedAt('nsdl.ingested:kill@2');
    place.startProcess(['work'], { env: env(place) });
    await until('the pieces are ingested', async () => filesIn(PIECES, 'Done').length === 3);
    assert.equal(messages().length, 1);
  });
});
