import assert from 'node:assert/strict';
import { setTimeout as wait } from 'node:timers/promises';
import { copyIn } from '../support/mirrored-source.ts';
import { killTidemarks, runTidemark, startTidemark } from '../support/run-tidemark.ts';
import { type TempFolder, useTempFolder } from '../support/temp-folder.ts';
import { until } from '../support/until.ts';

const SECONDS = 4;

describe('a mirror of a source that changes', () => {
  const place = useTempFolder();

  afterEach(() => killTidemarks());

  it('is equal to the source in the end, whatever happened meanwhile', async function () {
    this.timeout(120_000);
    for (let number = 0; number < 200; number++) place.write(`files/${number % 7}/${number}.txt`, `first ${number}`);
    const publishing = startTidemark(['publish', 'files', '--data', 'data', '--port', '0'], { cwd: place.path });
    const [, url] = await publishing.says(/(http:\/\/\S+)\/sets\/files\/changelist\.xml/);
    const pass = async () => {
      const { stdout, stderr, exitCode } = await runTidemark(['mirror', url!, 'copy', '--json'], { cwd: place.path });
      assert.ok(exitCode === 0 || exitCode === 1, stderr);
      return JSON.parse(stdout.trim().split('\n').at(-1)!);
    };
    const stopping = new AbortController();
    const changing = changeFiles(place, stopping.signal);
    const reports = [await pass()];
    const end = Date.now() + SECONDS * 1000;
    while (Date.now() < end) reports.push(await pass());
    stopping.abort();
    await changing;
    await until('the copy is equal', async () => {
      reports.push(await pass());
      return JSON.stringify(copyIn(place.at('copy'))) === JSON.stringify(copyIn(place.at('files')));
    });
    // After the first pass, the changes were enough.
    assert.deepEqual(
      reports.slice(1).filter(({ compared }) => compared !== undefined),
      [],
    );
    assert.equal(reports.at(-1).failed, 0);
  });

  it('notices a new history, and fetches only what differs', async () => {
    for (const name of ['a', 'b', 'c']) place.write(`files/${name}.txt`);
    const run = (...words: readonly string[]) => runTidemark(words, { cwd: place.path });
    const first = startTidemark(['publish', 'files', '--data', 'data', '--port', '0'], { cwd: place.path });
    const [, url] = await first.says(/(http:\/\/\S+)\/sets\/files\/changelist\.xml/);
    assert.equal((await run('mirror', url!, 'copy')).exitCode, 0);
    first.signal('SIGTERM');
    await first.exit();
    assert.equal((await run('sets', 'renew', 'files', '--confirm', '--data', 'data')).exitCode, 0);
    place.write('files/b.txt', 'another');
    const { port } = new URL(url!);
    const second = startTidemark(['publish', 'files', '--data', 'data', '--port', port], { cwd: place.path });
    await second.says(/changelist\.xml/);
    const { stdout, stderr } = await run('mirror', url!, 'copy', '--json');
    const report = JSON.parse(stdout.trim().split('\n').at(-1) || stderr);
    assert.deepEqual([report.compared, report.fetched], ['gap', 1]);
    assert.deepEqual(copyIn(place.at('copy')), copyIn(place.at('files')));
  });
});

/** Writes, overwrites, moves and removes files, without a pause, until the signal. */
async function changeFiles(place: TempFolder, signal: AbortSignal): Promise<void> {
  for (let number = 0; !signal.aborted; number++) {
    const path = number % 5 === 0 ? `files/new/${number % 50}.txt` : `files/${number % 7}/${(number * 13) % 220}.txt`;
    place.write(path, `changed ${number}`);
    if (number % 11 === 1) place.remove(path);
    await wait(5);
  }
}
