import assert from 'node:assert/strict';
import { setTimeout as wait } from 'node:timers/promises';
import { changeFiles, KilledServer, publishedIn, untilEqual, wrongBytes } from '../support/chain.ts';
import { auditSource, itWithScript } from '../support/check-scripts.ts';
import { describeOnEachStore } from '../support/each-store.ts';
import { findFreePort } from '../support/free-port.ts';
import { copyIn } from '../support/mirrored-source.ts';
import { killTidemarks, runProcess } from '../support/run-tidemark.ts';
import { useTempFolder } from '../support/temp-folder.ts';
import { until } from '../support/until.ts';

/** Of each of the three. */
const ROUNDS = 6;
/** Milliseconds that a server lives or is dead, at most. */
const LONGEST_MS = 6_000;

describeOnEachStore('a chain of three sources and a mirror', (store) => {
  const place = useTempFolder();
  afterEach(killTidemarks);

  itWithScript('audit', 'is equal in the end, whenever each of its servers was killed', async function () {
    this.timeout(1_800_000);
    const cwd = place.path;
    const own = store.place(place.path);
    const env = own.environment;
    for (let number = 0; number < 60; number++) place.write(`files/${number % 5}/${number}.txt`, `first ${number}`);
    const first = new KilledServer(await findFreePort(), ['publish', 'files', '--data', 'one'], { cwd });
    const second = new KilledServer(await findFreePort(), ['serve', '--data', 'two'], { cwd, env });
    const third = new KilledServer(await findFreePort(), ['serve', '--data', 'three'], { cwd });
    await first.start();
    const add = async (from: KilledServer, to: KilledServer, data: string, environment: typeof env) => {
      const args = ['sets', 'add', 'maps', '--from', from.url, '--data', data, '--base-url', to.url];
      const { exitCode, stderr } = await runProcess(args, { cwd, env: environment });
      assert.equal(exitCode, 0, stderr);
    };
    await add(first, second, 'two', env);
    await second.start();
    await until('the second one has copied it', () => publishedIn(`${second.url}/sets/maps`));
    await add(second, third, 'three', {});
    await third.start();
    const stopping = new AbortController();
    const changing = changeFiles(place, 'files', stopping.signal);
    try {
      await Promise.all([first, second, third].map(killRandomly));
    } finally {
      stopping.abort();
      await changing;
    }
    const from = `${first.url}/sets/files`;
    await untilEqual(from, `${second.url}/sets/maps`);
    const published = await untilEqual(from, `${third.url}/sets/maps`);
    assert.deepEqual(await wrongBytes(published), []);
    // The original, not the source that it was copied from.
    for (const [name, { via }] of Object.entries(published)) assert.equal(via, `${from}/resources/${name}`);
    const mirrored = await runProcess(['mirror', third.url, 'copy'], { cwd });
    assert.equal(mirrored.exitCode, 0, mirrored.stderr);
    assert.deepEqual(copyIn(place.at('copy')), copyIn(place.at('files')));
    for (const { url } of [second, third]) {
      const { exitCode, output } = await auditSource(url);
      assert.equal(exitCode, 0, output);
    }
    await killTidemarks();
    await own.dispose();
  });
});

/** Leaves it running. */
async function killRandomly(server: KilledServer): Promise<void> {
  for (let round = 0; round < ROUNDS; round++) {
    await wait(Math.random() * LONGEST_MS);
    await server.kill();
    await wait((Math.random() * LONGEST_MS) / 2);
    await server.start();
  }
}
