import assert from 'node:assert/strict';
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { SQLITE } from '../support/each-store.ts';
import { FaultProxy } from '../support/fault-proxy.ts';
import { environmentOf, type MadeBucket, makeBucket, rootOf, useOwnS3 } from '../support/s3.ts';
import { type GoAway, waysToBeAway } from '../support/s3-away.ts';
import { Workplace } from '../support/workplace.ts';

const FILES = 5;
const LINES = Array.from({ length: 10 }, (_, at) =>
  JSON.stringify({ id: `${at}`, document: `<a>${at}</a>`, mimetype: 'application/xml' }),
);

describe('a command whose artifact store on S3 goes away', () => {
  const s3 = useOwnS3({ keepAlive: true });
  let bucket: MadeBucket;
  let proxy: FaultProxy;
  let place: Workplace;
  /** Ends what happened to the server. */
  let left: ReturnType<GoAway> | undefined;

  beforeEach(async () => {
    bucket = await makeBucket(s3.server);
    proxy = await FaultProxy.start(s3.server.endpoint);
    place = await Workplace.make(SQLITE);
    await mkdir(join(place.folder, 'files'));
    await writeFiles('first');
    await writeFile(join(place.folder, 'records.ndjson'), LINES.map((line) => `${line}\n`).join(''));
    await done('sets', 'add', 'maps', '--root', 'files', '--keep-versions');
    await done('scan', 'maps');
  });
  afterEach(async () => {
    await place.close();
    await comeBack();
    await proxy.close();
    await bucket.remove();
  });

  const options = (more: Readonly<Record<string, string>> = {}) => ({
    env: {
      ...environmentOf(s3.server),
      TIDEMARK_ARTIFACTS: rootOf({ endpoint: proxy.url }, bucket.name),
      TIDEMARK_S3_TIMEOUT: '1s',
      ...more,
    },
  });

  async function writeFiles(content: string): Promise<void> {
    for (let at = 0; at < FILES; at++) await writeFile(join(place.folder, 'files', `${at}`), `${content} ${at}`);
  }

  async function done(...args: readonly string[]) {
    const { exitCode, stdout, stderr } = await place.run([...args, '--json'], options());
    assert.equal(exitCode, 0, stderr);
    return JSON.parse(stdout);
  }

  const AWAY = waysToBeAway(s3, () => proxy);

  /** Starts a command whose server is away from one of its requests on, and returns when it says that it waits. */
  async function begin(args: readonly string[], away: GoAway, { more = {}, from = 7 } = {}) {
    let asked = 0;
    const rule = proxy.on(
      () => ++asked === from,
      async (execute) => {
        rule.remove();
        left = away();
        await left;
        return execute();
      },
    );
    const running = place.start(args, options(more));
    await running.says(/Waits for s3:\/\/\S+: http:\S+ (asks to slow down|does not answer in time|cannot be reached)/);
    return running;
  }

  async function waits(...args: Parameters<typeof begin>): Promise<void> {
    const running = await begin(...args);
    await comeBack();
    assert.equal(await running.exit(), 0, running.stderr);
  }

  async function comeBack(): Promise<void> {
    await (await left)?.();
    left = undefined;
  }

  for (const [title, away] of Object.entries(AWAY)) {
    it(`waits, says for what, and goes on: it ${title}`, async () => {
      await waits(['archive'], away);
      assert.equal((await done('archive')).total, FILES);
    });
  }

  const KILLED = AWAY['was killed'];

  it('waits while it scans, and keeps every version', async () => {
    await writeFiles('second');
    await waits(['scan', 'maps'], KILLED);
    const { stdout } = await place.run(['versions', 'list', 'maps', '--json'], options());
    assert.equal(stdout.trim().split('\n').length, 2 * FILES);
    assert.equal((await done('artifacts', 'verify')).damaged.total, 0);
  });

  it('waits while it packs a dump, in threads', async () => {
    await waits(['dumps', 'build', 'maps'], KILLED);
    const { totals } = await done('dumps', 'list', 'maps');
    assert.deepEqual([totals.packages, totals.resources, totals.missing], [1, FILES, 0]);
  });

  it('waits while it makes an artifact, and makes one', async () => {
    await waits(['activity', 'run', 'harvest', 'cdl', '--from', 'records.ndjson'], KILLED);
    const { stdout } = await place.run(['artifacts', 'list', '--provider', 'cdl', '--json'], options());
    assert.match(stdout, /^[^\n]*"key":"cdl\/harvest\/[^\n]*\n$/);
  });

  it('waits while it rebuilds a store', async () => {
    await done('archive');
    const other = { TIDEMARK_DATA: join(place.folder, 'new'), TIDEMARK_STORE: 'sqlite:new/tidemark.db' };
    await waits(['rebuild', '--renew'], KILLED, { more: other, from: 2 });
    const { stdout } = await place.run(['status', '--json'], options(other));
    assert.equal(JSON.parse(stdout).sets[0].resources, FILES);
  });

  it('ends when it is stopped, and when the server has not answered before', async () => {
    const running = await begin(['archive'], KILLED);
    running.signal('SIGINT');
    assert.equal(await running.exit(), 1);
    assert.match(running.stderr, /tidemark: stopped before it was complete/);
    const { exitCode, stderr } = await place.run(['archive'], options());
    assert.equal(exitCode, 3);
    assert.match(stderr, /^tidemark: the artifact store s3:\S+ cannot be used: http:\S+ cannot be reached \(\w+\)\n$/);
  });
});
