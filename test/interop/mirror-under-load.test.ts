import assert from 'node:assert/strict';
import { setTimeout as wait } from 'node:timers/promises';
import { describeOnEachStore } from '../support/each-store.ts';
import { copyIn, sha256 } from '../support/mirrored-source.ts';
import { killTidemarks, startTidemark } from '../support/run-tidemark.ts';
import { ServedSource } from '../support/served-source.ts';
import { closeApps, startApp } from '../support/start-app.ts';
import { useTempFolder } from '../support/temp-folder.ts';
import { until } from '../support/until.ts';
import { post } from './http.ts';

const BATCHES = 20;
/** With a batch every 100 milliseconds, 100 changes are posted in a second. */
const BATCH = 10;
const KEYS = 100;

describeOnEachStore('a mirror that follows while 100 changes a second are posted', (store) => {
  const place = useTempFolder();
  let files: ServedSource;

  beforeEach(async () => {
    files = await ServedSource.start();
  });

  afterEach(async () => {
    await killTidemarks();
    await closeApps();
    await files.close();
  });

  it('is equal in the end, and was never compared with the whole list', async () => {
    const { app, url } = await startApp(store);
    await app.sets.add({ slug: 'records', urlPrefix: `${files.baseUrl}/`, windowChanges: 100 });
    const home = `${url}/sets/records/`;
    const expected = new Map<string, string>();
    const change = (number: number) => {
      const name = `${(number * 37) % KEYS}.txt`;
      const location = { type: 'rel_path', value: name };
      if (number % 7 === 6 && expected.delete(name)) {
        files.answers.delete(`/${name}`);
        return { change: 'deleted', location };
      }
      const text = `text ${number}`;
      expected.set(name, text);
      files.answers.set(`/${name}`, text);
      return { change: 'updated', location, length: text.length, hash: sha256(text) };
    };
    const changes = (batch: number) => Array.from({ length: BATCH }, (_, at) => change(batch * BATCH + at));

    await post(home, changes(0));
    const following = startTidemark(['mirror', home, 'copy', '--follow', '--interval', '1s', '--json'], {
      cwd: place.path,
    });
    await following.says(/"event":"pass"/);
    for (let batch = 1; batch < BATCHES; batch++) {
      await post(home, changes(batch));
      await wait(100);
    }
    const sorted = JSON.stringify(Object.fromEntries([...expected].sort(byName)));
    await until('the copy is equal', async () => JSON.stringify(copyIn(place.at('copy'))) === sorted);

    following.signal('SIGINT');
    assert.equal(await following.exit(), 0);
    const passes = following.stdout.split('\n').filter((line) => line.startsWith('{"event":"pass"'));
    assert.ok(passes.length > 1);
    assert.ok(
      passes.slice(1).every((line) => !line.includes('"compared"')),
      passes.join('\n'),
    );
  });
});

const byName = ([one]: readonly [string, string], [other]: readonly [string, string]) => (one < other ? -1 : 1);
