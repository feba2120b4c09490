import assert from 'node:assert/strict';
import { changeFiles, KilledServer, publishedIn, untilEqual, wrongBytes } from '../support/chain.ts';
import { findFreePort } from '../support/free-port.ts';
import { copyIn } from '../support/mirrored-source.ts';
import { killTidemarks, runTidemark } from '../support/run-tidemark.ts';
import { useTempFolder } from '../support/temp-folder.ts';
import { until } from '../support/until.ts';

/** On both stores, with three sources and more kills: test/endurance/republished-kills.test.ts. */
describe('a chain of two sources and a mirror', () => {
  const place = useTempFolder();
  afterEach(killTidemarks);

  it('ends with what the first one publishes, though each server was killed meanwhile', async function () {
    this.timeout(600_000);
    const cwd = place.path;
    for (let number = 0; number < 40; number++) place.write(`files/${number % 5}/${number}.txt`, `first ${number}`);
    const first = new KilledServer(await findFreePort(), ['publish', 'files', '--data', 'one'], { cwd });
    const second = new KilledServer(await findFreePort(), ['serve', '--data', 'two'], { cwd });
    const mirror = async (...more: readonly string[]) => {
      const { stdout, stderr } = await runTidemark(['mirror', second.url, 'copy', '--json', ...more], { cwd });
      return JSON.parse(stdout.trim().split('\n').at(-1) || stderr);
    };
    await first.start();
    const added = ['sets', 'add', 'maps', '--from', first.url, '--data', 'two', '--base-url', second.url];
    assert.equal((await runTidemark(added, { cwd })).exitCode, 0);
    const stopping = new AbortController();
    const changing = changeFiles(place, 'files', stopping.signal);
    try {
      await second.start();
      await until('the second one has copied it', () => publishedIn(`${second.url}/sets/maps`));
      await mirror();
      // It dies with copies that are not published yet.
      await second.kill();
      await first.kill();
      await second.start();
      await first.start();
      await mirror();
    } finally {
      stopping.abort();
      await changing;
    }
    const [from, to] = [`${first.url}/sets/files`, `${second.url}/sets/maps`];
    const published = await untilEqual(from, to);
    assert.ok(Object.keys(published).length > 40);
    assert.deepEqual(await wrongBytes(published), []);
    for (const [name, { via }] of Object.entries(published)) assert.equal(via, `${from}/resources/${name}`);
    await mirror();
    assert.deepEqual(copyIn(place.at('copy')), copyIn(place.at('files')));
    assert.equal((await mirror('--audit', '--rehash')).count, 0);
  });
});
