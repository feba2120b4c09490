import assert from 'node:assert/strict';
import type { ArtifactStore } from '../../src/artifacts/artifact-store.ts';
import { schemaText } from '../../src/artifacts/avro/avro-schemas.ts';
import { encodeLong } from '../../src/artifacts/avro/long.ts';
import { putJson } from '../../src/artifacts/json-object.ts';
import { openArtifacts } from '../../src/artifacts/open-artifacts.ts';
import { writeProvenance } from '../../src/artifacts/provenance.ts';
import { rawBlock, rawFile, text } from '../support/avro-files.ts';
import { SQLITE } from '../support/each-store.ts';
import { findFreePort } from '../support/free-port.ts';
import { putArtifact, record } from '../support/record-artifacts.ts';
import { Workplace } from '../support/workplace.ts';

const DAY1 = '2017-02-09T10:44:28Z';
const DAY2 = '2017-02-10T10:00:00Z';
const DAY3 = '2017-02-11T10:00:00Z';
const DAY4 = '2017-02-12T10:00:00Z';

describe('Sets of records on the command line', () => {
  let place: Workplace;
  let artifacts: ArtifactStore;
  beforeEach(async () => {
    place = await Workplace.make(SQLITE);
    artifacts = openArtifacts({ kind: 'folder', folder: `${place.folder}/data/artifacts` });
  });
  afterEach(async () => {
    await artifacts.close();
    await place.close();
  });

  async function run(...args: string[]) {
    const { exitCode, stdout, stderr } = await place.run(args);
    return { exitCode, stdout, stderr, json: () => JSON.parse(stdout) };
  }

  it('are added, compared with the newest artifact, shown and verified', async () => {
    const added = await run('sets', 'add', 'cdl', '--records', 'cdl/harvest', '--json');
    assert.equal(added.exitCode, 0, added.stderr);
    assert.deepEqual([added.json().records, added.json().ready], ['cdl/harvest', false]);
    const none = await run('scan', 'cdl');
    assert.equal(none.exitCode, 3);
    assert.match(none.stderr, /no artifact of cdl\/harvest in .*"tidemark activity run harvest cdl" makes one/);

    const key = await putArtifact(artifacts, [record('a'), record('b'), record('a', 'last')], { start: DAY1 });
    const dry = await run('scan', 'cdl', '--dry-run', '--json');
    assert.deepEqual([dry.json().created, dry.json().dryRun, dry.json().artifact], [2, true, key]);
    const scanned = await run('scan', 'cdl');
    assert.equal(scanned.exitCode, 0, scanned.stderr);
    assert.match(
      scanned.stdout,
      /cdl: 2 records of cdl\/harvest\/20170209\/\S+ in [\d.]+ s: 2 created, 0 updated, 0 deleted\./,
    );
    assert.match(scanned.stderr, /1 record came before another one of the same id, which counts: \/a/);
    assert.match((await run('scan', 'cdl')).stdout, /mirrors the newest artifact already/);

    const shown = (await run('sets', 'show', 'cdl', '--json')).json();
    assert.deepEqual([shown.records, shown.artifact, shown.ready], ['cdl/harvest', key, true]);
    const verified = await run('verify', 'cdl', '--root', '--json');
    assert.equal(verified.exitCode, 0, verified.stdout);
    assert.equal(verified.json().records, 2);
  });

  it('are added before there are any, which is said', async () => {
    const { stderr, exitCode } = await run('sets', 'add', 'cdl', '--records', 'cdl/harvest');
    assert.match(stderr, /no artifact of cdl\/harvest yet, .* "\S*tidemark activity run harvest cdl" makes one\.$/m);
    assert.equal(exitCode, 0);
    await putArtifact(artifacts, [record('a')], { start: DAY1 });
    assert.match((await run('sets', 'add', 'again', '--records', 'cdl/harvest')).stderr, /^Read its records with /m);
  });

  it('are neither emptied nor set back without an option that says so', async () => {
    await run('sets', 'add', 'cdl', '--records', 'cdl/harvest');
    await putArtifact(artifacts, [record('a')], { start: DAY1 });
    await run('scan', 'cdl');
    await putArtifact(artifacts, [], { start: DAY2 });
    const refused = await run('scan', 'cdl');
    assert.equal(refused.exitCode, 3);
    assert.match(refused.stderr, /nothing is deleted.*--accept-empty/);
    const accepted = await run('scan', 'cdl', '--accept-empty', '--json');
    assert.deepEqual([accepted.exitCode, accepted.json().deleted], [0, 1]);
  });

  it('are compared with no artifact whose records are damaged, and the error names the block', async () => {
    await run('sets', 'add', 'cdl', '--records', 'cdl/harvest');
    const header = { 'avro.schema': schemaText('OriginalRecord.v1'), 'avro.codec': 'null' };
    const offset = rawFile(header).length;
    const whole = Buffer.concat([text('a'), text('cdl'), text('document'), encodeLong(0)]);
    const damaged: readonly (readonly [Buffer, string])[] = [
      [rawBlock(2, whole), 'holds fewer records than it says'],
      [rawBlock(1, Buffer.concat([whole, whole])), 'goes on after its last record'],
      [rawBlock(1, Buffer.concat([text(Buffer.from([0xff])), whole])), 'has a text that is not UTF-8'],
    ];
    for (const [at, [block, problem]] of damaged.entries()) {
      const key = `cdl/harvest/20170209/20170209_10442${at}-cdl-OriginalRecord.v1.avro`;
      await artifacts.put(key, [rawFile(header, block)]);
      await writeProvenance(artifacts, key, { generator: 'test', version: 'test' });
      const { exitCode, stderr } = await run('scan', 'cdl');
      assert.equal(exitCode, 3);
      assert.match(stderr, new RegExp(`cannot be read: ${key}: the block at byte ${offset} ${problem}`));
    }
  });

  it('are compared with no artifact that is not the one that its run wrote', async () => {
    await run('sets', 'add', 'cdl', '--records', 'cdl/harvest');
    // As damage that can be read as other records.
    const key = await putArtifact(artifacts, [record('a')], { start: DAY1 });
    await putJson(artifacts, { kind: 'summary', of: key }, { hashes: { 'sha-256': '0'.repeat(64) } });
    const scanned = await run('scan', 'cdl');
    assert.equal(scanned.exitCode, 3, scanned.stdout);
    assert.match(scanned.stderr, /the stored bytes of cdl\S+ are damaged/);
    assert.deepEqual((await run('changes', 'list', 'cdl')).stdout, '');
    const mapped = await run('activity', 'run', 'mapping', 'cdl', '--transform', 'identity');
    assert.match(mapped.stderr, /the stored bytes of cdl\S+ are damaged/);
    assert.equal((await run('artifacts', 'list', '--activity', 'mapping')).stdout, '');
  });

  it('are compared again when other hashes are to be published', async () => {
    await run('sets', 'add', 'cdl', '--records', 'cdl/harvest');
    await putArtifact(artifacts, [record('a'), record('b')], { start: DAY1 });
    await run('scan', 'cdl');
    await run('sets', 'change', 'cdl', '--publish-hash', 'md5');
    const again = await run('scan', 'cdl', '--json');
    assert.deepEqual([again.json().compared, again.json().updated], [true, 2]);
    assert.match(
      (await run('changes', 'list', 'cdl', '--json')).stdout,
      /"change":"updated".*"hash":"sha-256:\w+ md5:\w+"/,
    );
    assert.match((await run('scan', 'cdl')).stdout, /mirrors the newest artifact already/);
    const refused = await run('sets', 'change', 'cdl', '--exclude', '*.tmp');
    assert.match(refused.stderr, /a set of records has no files/);
  });

  it('are reported as differing when the store was changed behind their back', async () => {
    await run('sets', 'add', 'cdl', '--records', 'cdl/harvest');
    await putArtifact(artifacts, [record('a'), record('b')], { start: DAY1 });
    await run('scan', 'cdl');
    const { openStores } = await import('../../src/stores/open-stores.ts');
    const stores = await openStores(place.store.location);
    const weight = 500;
    await stores.index.commit([
      { set: 1, key: '/a', state: { length: 1 }, weight },
      { set: 1, key: '/b', state: undefined, weight },
      { set: 1, key: '/c', state: { length: 1 }, weight },
    ]);
    await stores.close();
    const { exitCode, json } = await run('verify', 'cdl', '--root', '--json');
    assert.equal(exitCode, 1);
    const found = json().differences.first.map(({ kind, key }: { kind: string; key: string }) => `${kind} ${key}`);
    assert.deepEqual(found, ['differing /a', 'extra /b', 'missing /c']);
    const healed = await run('scan', 'cdl', '--rehash', '--json');
    assert.deepEqual([healed.json().created, healed.json().updated, healed.json().deleted], [1, 1, 1]);
  });

  it('take no posted changes', async () => {
    await run('sets', 'add', 'cdl', '--records', 'cdl/harvest');
    const { exitCode, stderr } = await place.run(['changes', 'post', 'cdl'], { input: '{}\n' });
    assert.equal(exitCode, 2);
    assert.match(
      stderr,
      /"cdl" takes no posted events: its resources are the records of the newest artifact of cdl\/harvest/,
    );
  });

  it('are refused when what they are of is not a provider and activity, or files are named too', async () => {
    for (const [source, said] of [
      ['cdl', /use PROVIDER\/ACTIVITY/],
      ['CDL/harvest', /use PROVIDER\/ACTIVITY/],
      ['cdl/plan', /use an activity that exists: harvest/],
      ['cdl/harvest/20170209', /use PROVIDER\/ACTIVITY/],
    ] as const) {
      const { exitCode, stderr } = await run('sets', 'add', 'cdl', '--records', source);
      assert.equal(exitCode, 2, source);
      assert.match(stderr, said);
    }
    const { exitCode, stderr } = await run('sets', 'add', 'cdl', '--records', 'cdl/harvest', '--root', '.');
    assert.equal(exitCode, 2);
    assert.match(stderr, /leave out --root or --records/);
  });

  it('have each change once when a server is killed between posting it and recording that', async () => {
    const port = String(await findFreePort());
    await run('sets', 'add', 'cdl', '--records', 'cdl/harvest', '--port', port);
    await putArtifact(artifacts, [record('a', '1'), record('b', '1')], { start: DAY1 });
    await run('scan', 'cdl');
    await putArtifact(artifacts, [record('a', '2')], { start: DAY3 });
    const args = ['serve', '--port', port];
    const killed = place.start(args, { env: { TIDEMARK_FAILPOINT: 'sync.posted:kill' } });
    assert.equal(await killed.exit(), null);

    const again = await run('scan', 'cdl', '--json');

    assert.deepEqual([again.exitCode, again.json().updated, again.json().deleted], [0, 0, 0]);
    const changes = (await run('changes', 'list', 'cdl')).stdout.trim().split('\n');
    assert.deepEqual(
      changes.map((line) => line.split(/ +/).slice(1).join(' ')),
      ['created /a', 'created /b', 'updated /a', 'deleted /b'],
    );
    assert.match((await run('scan', 'cdl')).stdout, /mirrors the newest artifact already/);
  });

  it('are kept in sync by the server that serves them, also when it is killed in between', async function () {
    // Shorter than the minute after which a server compares in any case.
    this.timeout(50_000);
    const port = String(await findFreePort());
    await run('sets', 'add', 'cdl', '--records', 'cdl/harvest', '--port', port);
    await putArtifact(artifacts, [record('a', '1'), record('b', '1')], { start: DAY1 });
    await run('scan', 'cdl');
    await putArtifact(artifacts, [record('a', '2')], { start: DAY3 });
    const args = ['serve', '--port', port, '--records-poll-interval', '100ms', '--log-level', 'info'];
    const killed = place.start(args, { env: { TIDEMARK_FAILPOINT: 'records.begun:kill' } });
    assert.equal(await killed.exit(), null);
    const server = place.startProcess(args);
    await server.says(/"updated":1,"deleted":1.*scanned cdl\/harvest/);
    // A run that began on an earlier day than today is as new as one of today.
    await putArtifact(artifacts, [record('a', '3')], { start: DAY4 });
    await server.says(/"updated":1,"deleted":0.*scanned cdl\/harvest/);
    server.signal('SIGINT');
    assert.equal(await server.exit(), 0);
    assert.equal((await run('verify', 'cdl', '--root')).exitCode, 0);
  });
});
