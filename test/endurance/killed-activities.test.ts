import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readdirSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import type { ArtifactStore } from '../../src/artifacts/artifact-store.ts';
import { latestArtifact, listArtifacts } from '../../src/artifacts/find-artifacts.ts';
import { FAILPOINTS } from '../../src/lib/failpoint.ts';
import { allKindsOfItems, harvest, keysOf, readRecords } from '../support/activity-run.ts';
import { describeOnEachArtifactStore } from '../support/each-artifact-store.ts';
import type { HarvestToKill } from '../support/run-harvest.ts';
import { useTempFolder } from '../support/temp-folder.ts';

const SCRIPT = fileURLToPath(new URL('../support/run-harvest.ts', import.meta.url));
const AT_ONCE = 3;
/** After which steps there is a file: before, there must be nothing but the claim. */
const WITHOUT_FILE = ['activity.claimed', 'activity.read', 'activity.gathered', 'activity.writing'];

describeOnEachArtifactStore('an activity that is killed', (place) => {
  const folder = useTempFolder();
  let store: ArtifactStore;

  beforeEach(() => {
    store = place.open();
  });
  afterEach(() => store.close());

  it('leaves nothing that counts as its artifact, at whatever step it dies, and the next run succeeds', async () => {
    const steps = FAILPOINTS.activity.filter((step) => step !== 'activity.published');
    for (let at = 0; at < steps.length; at += AT_ONCE) {
      await Promise.all(steps.slice(at, at + AT_ONCE).map(dieAndRunAgain));
    }
  });

  it('is complete when it dies after its provenance was written', async () => {
    await die('complete', 'activity.published');

    const found = await latestArtifact(store, { provider: 'complete', activity: 'harvest' });

    assert.equal((await readRecords(store, found!.key, 'OriginalRecord.v1')).length, 400);
  });

  async function dieAndRunAgain(step: string): Promise<void> {
    const provider = step.replace('.', '-');
    const run = { store, folder: folder.at('spool'), provider };
    const before = await harvest({ ...run, start: new Date('2017-02-09T10:44:28Z') }, allKindsOfItems(400));

    await die(provider, step);

    const now = { provider, activity: 'harvest' } as const;
    const latest = [await latestArtifact(store, now), await latestArtifact(store, { ...now, before: new Date() })];
    const listed: string[] = [];
    for await (const { key } of listArtifacts(store, { ...now, schema: 'OriginalRecord.v1' })) listed.push(key);
    const { key } = before.summary;
    assert.deepEqual([latest.map((found) => found?.key), listed], [[key, key], [key]], step);
    const left = (await keysOf(store, `${provider}/harvest/2`)).filter((one) => !one.includes('/20170209/'));
    assert.ok(
      left.some((one) => one.endsWith('-claim.json')),
      step,
    );
    if (WITHOUT_FILE.includes(step)) assert.equal(left.length, 1, `${step} left ${left}`);

    const { summary } = await harvest(run, allKindsOfItems(400));
    assert.deepEqual([summary.published, summary.written, summary.previous?.key], [true, 400, key], step);
    assert.equal((await latestArtifact(store, now))?.key, summary.key, step);
  }

  /** What it gathered was deleted with it. */
  async function die(provider: string, step: string): Promise<void> {
    const options: HarvestToKill = {
      location: place.location,
      provider,
      folder: folder.at(provider),
      failpoint: `${step}:kill`,
    };
    const child = spawn(process.execPath, [SCRIPT, JSON.stringify(options)], { stdio: 'inherit' });
    const [code, signal] = await once(child, 'exit');
    assert.deepEqual([code, signal], [null, 'SIGKILL'], step);
    assert.deepEqual(readdirSync(folder.at(provider)), []);
  }
});
