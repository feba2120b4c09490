import assert from 'node:assert/strict';
import { readdirSync } from 'node:fs';
import { contentOf, type StandInPlatforms, startPlatforms } from '../support/dataset-platforms.ts';
import { SQLITE } from '../support/each-store.ts';
import { InTerminal, itInTerminal } from '../support/in-terminal.ts';
import { jsonLines } from '../support/json-lines.ts';
import { until } from '../support/until.ts';
import { Workplace } from '../support/workplace.ts';

const env = { TIDEMARK_DATASET_NETWORKS: '127.0.0.1' };
const TWO_FILES = [{ name: 'a.csv' }, { name: 'b.csv', size: 2_000 }];

describe('datasets on the command line', () => {
  let place: Workplace;
  let platforms: StandInPlatforms;

  beforeEach(async () => {
    [place, platforms] = await Promise.all([Workplace.make(SQLITE), startPlatforms()]);
  });
  afterEach(() => Promise.all([place.close(), platforms.close()]));

  const run = (args: readonly string[], input?: string) =>
    place.run(['datasets', ...args], { env, ...(input !== undefined && { input }) });
  const done = async (...args: readonly string[]) => {
    const { exitCode, stdout, stderr } = await run(args);
    assert.equal(exitCode, 0, stderr);
    return stdout;
  };
  const shown = async (...args: readonly string[]) => JSON.parse(await done(...args, '--json'));
  const linesOf = (text: string) => jsonLines(text);
  const resources = async (set = 'datasets') => {
    const { stdout } = await place.run(['resources', 'list', set, '--json']);
    return stdout === '' ? [] : linesOf(stdout);
  };
  const addTwo = () => platforms.add({ platform: 'zenodo', id: '12', files: TWO_FILES });

  it('ingests a dataset in an empty folder, and says how to serve and follow it (D02, D09, D27)', async () => {
    const url = addTwo();
    const { exitCode, stdout, stderr } = await run(['ingest', url]);
    assert.equal(exitCode, 0, stderr);
    assert.equal(stdout, `${url}: success: zenodo 12, 2 files, 3.00 kB, web-fileset\n`);
    assert.match(stderr, /"tidemark serve"; its page is then http:\/\/localhost:8080\/sets\/datasets\//);
    assert.match(stderr, /tidemark mirror http:\/\/localhost:8080\/sets\/datasets\/capabilitylist\.xml/);
    assert.equal((await resources()).length, 3);
    const { files } = await shown('files', url);
    assert.deepEqual(
      files.map(({ path, size, status }: { path: string; size: number; status: string }) => [path, size, status]),
      [
        ['a.csv', 1_000, 'success'],
        ['b.csv', 2_000, 'success'],
      ],
    );
  });

  it('reads requests from standard input, and writes a line of JSON for each result as it ends (D51)', async () => {
    const [good, other] = [addTwo(), platforms.add({ platform: 'dataverse', files: [{ name: 'x.dat' }] })];
    const input = [
      good,
      JSON.stringify({ ingest_type: 'dataset', base_url: other, note: 7 }),
      `${platforms.url}/none`,
      'no',
    ];
    // Both are under way at the same time.
    platforms.addPage('/api/records/12/files/a.csv/content', (_request, response) => {
      until('the other one', async () => platforms.requests.includes(new URL(other).pathname + new URL(other).search))
        .then(() => response.end(contentOf('a.csv')))
        .catch(() => response.destroy());
      return true;
    });
    const { exitCode, stdout } = await run(['ingest', '-', '--concurrency', '2'], `${input.join('\n')}\n`);
    assert.equal(exitCode, 1);
    const byUrl = new Map(linesOf(stdout).map((line) => [line.request?.base_url ?? line.number, line]));
    assert.deepEqual([byUrl.get(good).result.status, byUrl.get(good).manifest.length], ['success', 2]);
    assert.deepEqual([byUrl.get(other).result.ingest_strategy, byUrl.get(other).request.note], ['web-file', 7]);
    assert.equal(byUrl.get(`${platforms.url}/none`).result.hit, false);
    assert.deepEqual([byUrl.get(4).status, byUrl.get(4).field], ['rejected', 'base_url']);
    assert.equal((await run(['ingest', '-'], good)).exitCode, 0);
  });

  it('writes each result before the next request is read (D51)', async () => {
    const running = place.start(['datasets', 'ingest', '-'], { env, input: `${addTwo()}\n`, leaveInputOpen: true });
    await until('the first result', async () => running.stdout.endsWith('}\n'));
    running.kill();
    assert.equal(linesOf(running.stdout)[0].result.status, 'success');
  });

  it('stops before anything is stored with --dry-run, and prints what the platform answers with --raw (D04, D24)', async () => {
    const url = addTwo();
    const plan = await shown('ingest', url, '--dry-run');
    assert.deepEqual([plan.ingest_strategy, plan.file_count, plan.total_size], ['web-fileset', 2, 3_000]);
    assert.match(
      await done('ingest', url, '--dry-run'),
      /2 files, 3\.00 kB: web-fileset\nSIZE +HASH +PATH\n1\.00 kB +md5:/,
    );
    const raw = await done('ingest', url, '--dry-run', '--raw');
    assert.match(raw, new RegExp(`^--- 200 ${platforms.url}/api/records/12\n\\{"created"`, 'm'));
    assert.deepEqual(platforms.fileRequests, []);
    assert.deepEqual(readdirSync(place.folder), []);
    assert.match((await run(['ingest', url, '--raw'])).stderr, /--raw goes with --dry-run/);
    const { exitCode, stdout } = await run(['ingest', `${platforms.url}/none`, '--dry-run']);
    assert.deepEqual([exitCode, /: terminal-bad-status: /.test(stdout)], [1, true]);
  });

  it('adds, lists, shows and retries requests, which workers do (D31, D33)', async () => {
    const url = addTwo();
    assert.match(await done('add', url, '--set', 'data'), new RegExp(`^[0-9a-f]{32}  ${url}\n$`));
    assert.match(await done('list', '--state', 'waiting', '--set', 'data'), new RegExp(`\nwaiting .* data +${url}\n`));
    assert.equal(await done('list', '--state', 'ended'), 'There is no such request.\n');
    const added = await run(['add', '-'], 'no\n');
    assert.deepEqual([added.exitCode, /^line 1: /.test(added.stdout)], [1, true]);
    const { exitCode, stderr } = await run(['retry', url]);
    assert.deepEqual([exitCode, /waits for its job/.test(stderr)], [2, true]);
    const work = place.start(['work', '--kinds', 'ingest-dataset', '--concurrency', '12'], { env });
    await until('its result', async () => (await shown('show', url)).state === 'ended');
    assert.equal((await shown('show', url)).result.status, 'success');
    assert.equal((await done('retry', url, url)).trim().split('\n').length, 1);
    await until('its second result', async () => (await shown('show', url)).result.status === 'success-existing');
    work.signal('SIGINT');
    await work.exit();
    assert.match(await done('list', '--status', 'success-existing'), /zenodo +2 +3\.00 kB/);
    assert.equal(await done('list', '--status', 'success'), 'There is no such request.\n');
    assert.match((await run(['list', '--set', 'dat'])).stderr, /there is no set "dat".*data/);
    await done('add', `${url}0`);
    assert.match((await run(['list', '--limit', '1'])).stderr, /There are more requests: --limit/);
    await done('retry', '--status', 'success-existing');
    assert.match((await run(['show', url.replace('12', '13')])).stderr, new RegExp(`did you mean ${url}`));
  });

  it('hands over what the user has chosen (d12, d13, d16)', async () => {
    const files = [{ name: 'a.csv', stated: { md5: '0'.repeat(32) } }];
    const url = platforms.add({ platform: 'zenodo', files });
    const refused = await run(['ingest', url]);
    assert.deepEqual([refused.exitCode, /: mismatch-md5: .*--accept-mismatch/.test(refused.stdout)], [1, true]);
    assert.deepEqual(await resources(), []);
    assert.match(await done('ingest', url, '--accept-mismatch'), /: success-file: /);
    const [file] = (await shown('files', url)).files;
    assert.equal(file.status, 'accepted-mismatch');
    platforms.add({ platform: 'zenodo', id: '31', concept: '30', files: TWO_FILES });
    const concept = `${platforms.url}/records/30`;
    assert.match((await run(['ingest', concept])).stdout, /: platform-scope: .*--follow-latest/);
    assert.match(await done('ingest', concept, '--follow-latest'), /: success: zenodo 31/);
    const bundled = platforms.add({ platform: 'inveniordm', files: TWO_FILES });
    assert.match(await done('ingest', bundled, '--bundle'), /: success: .*-bundled/);
    assert.match(await done('files', bundled), /\.zip\n(?:.*\n)+.*\.zip alone is stored; the others are in it\n$/);
  });

  const failing = async (url: string, ...more: readonly string[]) => {
    const { exitCode, stdout } = await run(['ingest', url, ...more]);
    assert.equal(exitCode, 1, stdout);
    assert.deepEqual(await resources(), []);
    return stdout;
  };

  it('says what to do about a wrong DOI, no network, a private dataset and a private address', async () => {
    assert.match(
      (await run(['ingest', '10.7910'])).stderr,
      /^tidemark: "10\.7910.*no URL: use a URL with http or https, or a DOI/,
    );
    assert.match(await failing(`${platforms.url}/records/99`), /: terminal-bad-status: .*404.*check/);
    assert.match(
      await failing('https://no-such-host.invalid/'),
      /: no-capture: .*no-such-host\.invalid.*no such host: check the address and the network/,
    );
    const url = platforms.add({ platform: 'dataverse', files: [{ name: 'secret.tab', isRestricted: true }] });
    assert.match(await failing(url), /: platform-restricted: .*secret\.tab/);
    const { stdout } = await place.run(['datasets', 'ingest', url]);
    assert.match(stdout, /: blocked-network: .*127\.0\.0\.1.*--dataset-networks/);
  });

  it('ends in good order at Ctrl-C, with code 130: what is stored stays, the rest is not there', async () => {
    const first = addTwo();
    const held = platforms.add({ platform: 'zenodo', id: '14', files: [{ name: 'c' }, { name: 'd' }] });
    const heldFile = '/api/records/14/files/d/content';
    platforms.addPage(heldFile, (_request, response) => response.writeHead(200).write('a'));
    const running = place.startProcess(['datasets', 'ingest', first, held], { env });
    await until('the first result and the next file', async () => {
      return running.stdout.includes('success') && platforms.requests.includes(heldFile);
    });
    running.signal('SIGINT');
    assert.equal(await running.exit(), 130, running.stderr);
    assert.match(running.stderr, /Stopped: 1 dataset stored, 0 failed\./);
    assert.equal((await resources()).length, 3);
  });

  itInTerminal('draws a bar with files, bytes and rate', async () => {
    const large = { name: 'large', size: 2_000_000 };
    const bytes = contentOf(large.name, large.size);
    let step = 10_000;
    platforms.addPage('/api/records/12/files/large/content', (_request, response) => {
      response.writeHead(200, { 'content-length': bytes.length });
      let at = 0;
      const timer = setInterval(() => {
        response.write(bytes.subarray(at, at + step));
        at += step;
        if (at < bytes.length) return;
        clearInterval(timer);
        response.end();
      }, 10);
      response.once('close', () => clearInterval(timer));
      return true;
    });
    const url = platforms.add({ platform: 'zenodo', id: '12', files: [{ name: 'small' }, large] });
    const terminal = new InTerminal(['datasets', 'ingest', url], { cwd: place.folder, env });
    try {
      await terminal.says(/Fetching [█░]+ 1 of 2 files, \d+ kB of 2\.00 MB, [\d.]+ [kM]B\/s, \d+ s left/);
      step = bytes.length;
      assert.equal(await terminal.exit(), 0, terminal.text);
    } finally {
      terminal.kill();
    }
  });

  it('lists files for spreadsheets, and says why there are none', async () => {
    const url = addTwo();
    await done('ingest', url);
    const [head, first] = (await done('files', url, '--csv')).split('\r\n');
    assert.equal(head, 'status,path,size,md5,sha1,sha256,mimetype,platform_url,message');
    assert.match(first!, /^success,a\.csv,1000,[0-9a-f]{32},[0-9a-f]{40},[0-9a-f]{64},[^,]*,http[^,]*,$/);
    const wrong = `${platforms.url}/records/99`;
    await run(['ingest', wrong]);
    assert.match(await done('files', wrong), /^There is no list of files\. http.*: terminal-bad-status: .*check/);
  });

  it('shows in the status of the source which sink of results waits, and for what', async () => {
    const TIDEMARK_DATASET_ROWS = 'postgresql://a@127.0.0.1:1/b';
    await place.run(['datasets', 'ingest', addTwo()], { env: { ...env, TIDEMARK_DATASET_ROWS } });
    const waits = /^Results +rows: waits since \S+: PostgreSQL at 127\.0\.0\.1:1\/b .*--dataset-rows/m;
    assert.match((await place.run(['status'])).stdout, waits);
    await done('ingest', addTwo());
    assert.doesNotMatch((await place.run(['status'])).stdout, /^Results/m);
  });

  it('says how the set is made for which a token is', async () => {
    await place.run(['sets', 'add', 'papers', '--url-prefix', 'https://data.example.org/']);
    const create = ['tokens', 'create', '--name', 'a', '--scope', 'post:datasets'];
    const { exitCode, stderr } = await place.run(create);
    assert.deepEqual([exitCode, /the first request of a dataset makes it/.test(stderr)], [2, true]);
    await done('add', addTwo());
    assert.equal((await place.run(create)).exitCode, 0);
  });
});
