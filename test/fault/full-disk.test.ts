import assert from 'node:assert/strict';
import { readdirSync } from 'node:fs';
import { type Answer, ask, JSON_BODY, NDJSON_BODY } from '../support/ask.ts';
import { SQLITE } from '../support/each-store.ts';
import { readLog, requireConsistent, requireWholeDocuments } from '../support/fault-checks.ts';
import { closeFaultSources, FaultSource, SET_URL, SLUG } from '../support/fault-source.ts';
import { SetReader } from '../support/set-reader.ts';
import { itOnSmallDisk } from '../support/small-disk.ts';
import { until } from '../support/until.ts';

const LIMITS = { pageEntries: 5_000, windowChanges: 5_000 };
const PATH = `/api/sets/${SLUG}/changes`;

describe('a full disk of the store', () => {
  afterEach(closeFaultSources);

  itOnSmallDisk('fails posts with the reason; nothing acknowledged is lost', 16, async (disk) => {
    const source = await FaultSource.make(SQLITE, { ...LIMITS, pageEntries: 400 }, disk.folder);
    const { url, process } = await source.serve();
    const acknowledged: string[] = [];
    const post = async (length: number) => {
      const answer = await postTo(url, eventsOf(length));
      if (answer.status === 200)
        for (const { datetime } of JSON.parse(answer.text).results) acknowledged.push(datetime);
      return answer;
    };
    assert.equal((await post(1)).status, 200);

    await disk.fill(1_000_000);
    let refused = await post(2);
    for (let length = 3; refused.status === 200; length++) refused = await post(length);
    requireTold(refused, /^the store cannot grow: the disk is full/);

    const stream = eventsOf(1_000).map((event) => `${JSON.stringify(event)}\n`);
    const streamed = await ask(url + PATH, { method: 'POST', headers: NDJSON_BODY, body: stream.join('') });
    assert.equal(streamed.status, 503);
    assert.equal(JSON.parse(streamed.text).error.complete, false);
    assert.equal((await ask(`${url}/readyz`)).status, 200);
    // Its pages are too full by now: how they are split can be agreed upon in what a refused commit has left, or not.
    const list = await ask(`${url}/sets/${SLUG}/resourcelist.xml`);
    if (list.status !== 200) requireTold(list, /^the store cannot grow: the disk is full/);

    await disk.empty();
    assert.equal((await post(2_000)).status, 200);
    const app = await source.open();
    await requireConsistent(app, new SetReader(SET_URL, url));
    const windows = await new SetReader(SET_URL, url).changeWindows();
    assert.deepEqual(
      windows.flatMap(({ changes }) => changes.map(({ datetime }) => datetime)),
      acknowledged,
    );
    assert.equal((await readLog(app)).length, acknowledged.length);
    await app.close();

    await disk.fill();
    process.signal('SIGTERM');
    assert.equal(await process.exit(), 0, process.stderr);
  });

  itOnSmallDisk('is reported by a command, and by a server that starts', 8, async (disk) => {
    const source = await FaultSource.make(SQLITE, LIMITS, disk.folder);
    await disk.fill();
    for (const command of [
      ['serve', '--port', '0'],
      ['changes', 'post', SLUG],
    ]) {
      const { exitCode, stderr } = await source.run(command, JSON.stringify(eventsOf(1)[0]));
      assert.match(stderr, /^tidemark: the store .* the disk/);
      assert.equal(exitCode, 3);
    }
    await disk.empty();
    const { exitCode } = await source.run(['changes', 'post', SLUG], JSON.stringify(eventsOf(1)[0]));
    assert.equal(exitCode, 0);
  });
});

describe('a full disk of documents', () => {
  afterEach(closeFaultSources);

  itOnSmallDisk('fails reading with the reason; posting continues', 8, async (disk) => {
    const source = await FaultSource.make(SQLITE, LIMITS);
    const { url, process } = await source.serve({ dataFolder: disk.folder });
    const post = () => postTo(url, eventsOf(Date.now()));
    const list = () => ask(`${url}/sets/${SLUG}/resourcelist.xml`);
    assert.equal((await post()).status, 200);
    assert.equal((await list()).status, 200);

    await disk.fill(4_000);
    const before = readdirSync(`/proc/${process.pid}/fd`).length;
    for (let attempt = 0; attempt < 10; attempt++) {
      assert.equal((await post()).status, 200);
      requireTold(await list(), /documents.* disk is full/);
    }
    const areClosed = async () => readdirSync(`/proc/${process.pid}/fd`).length < before + 5;
    await until('files are closed that cannot be written', areClosed);

    assert.equal(await requireWholeDocuments(disk.folder), 0, 'nothing is left of what could not be written');

    await disk.empty();
    await requireConsistent(await source.open(), new SetReader(SET_URL, url));
  });
});

/** One thousand events that change something whenever the length is another one. */
function eventsOf(length: number) {
  return Array.from({ length: 1_000 }, (_, at) => ({
    location: { type: 'rel_path', value: `a/rather/long/path/of/a/resource/${at}` },
    change: 'updated',
    length,
    md5: 'd41d8cd98f00b204e9800998ecf8427e',
  }));
}

function postTo(url: string, changes: readonly unknown[]): Promise<Answer> {
  return ask(url + PATH, { method: 'POST', headers: JSON_BODY, body: JSON.stringify({ changes }) });
}

function requireTold({ status, headers, text }: Answer, message: RegExp): void {
  assert.equal(status, 503, text);
  assert.ok(Number(headers['retry-after']) > 0);
  assert.match(JSON.parse(text).error.message, message);
}
