import assert from 'node:assert/strict';
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { idOfTime } from '../../src/jobs/schedule.ts';
import { openStores, type Stores } from '../../src/stores/open-stores.ts';
import { ChildScript } from '../support/child-script.ts';
import { describeOnEachArtifactStore } from '../support/each-artifact-store.ts';
import { killTidemarks, startProcess, startTidemark } from '../support/run-tidemark.ts';
import { SettableClock } from '../support/settable-clock.ts';
import { useTempFolder } from '../support/temp-folder.ts';
import { until } from '../support/until.ts';

const KIND = 'remove-unfinished-artifacts';
const LATER_S = 4 * 86_400;

describeOnEachArtifactStore('what killed processes have written in part', (place) => {
  const folder = useTempFolder();
  let stores: Stores;
  let writers: ChildScript<string>[];
  beforeEach(async () => {
    stores = await openStores({ kind: 'sqlite', file: folder.at('data/tidemark.db') });
    writers = [];
  });
  afterEach(async () => {
    await killTidemarks();
    for (const writer of writers.splice(0)) await writer.stop('SIGKILL');
    await stores.close();
  });

  async function write(key: string): Promise<ChildScript<string>> {
    const writer = new ChildScript<string>('./endless-artifact.ts', { location: place.location, key });
    writers.push(writer);
    assert.equal(await writer.line(), 'begun');
    return writer;
  }

  async function stop(writer: ChildScript<string>): Promise<void> {
    writers.splice(writers.indexOf(writer), 1);
    await writer.stop('SIGKILL');
  }

  /** What the job that was added last removes, in a real worker, which adds those of its schedule. */
  async function removedAt(secondsAhead: number, isTheJob: (id: string) => boolean): Promise<number> {
    const env = { TIDEMARK_DATA: folder.at('data'), TIDEMARK_ARTIFACTS: place.text, ...place.environment };
    const args = ['work', '--kinds', KIND, '--log-level', 'error'];
    const worker =
      secondsAhead === 0
        ? startTidemark(args, { cwd: folder.path, env })
        : // Only a process has a clock of its own.
          startProcess(args, {
            cwd: folder.path,
            env: { ...env, ...new SettableClock(folder.path, secondsAhead).environment },
          });
    const { result } = await until('the job has ended', async () => {
      const job = (await stores.jobs.list({ kinds: [KIND], limit: 10 })).find(({ id }) => isTheJob(id));
      assert.notEqual(job?.state, 'failed', job?.error);
      return job?.state === 'done' && job;
    });
    worker.signal('SIGTERM');
    await worker.exit();
    return (result as { readonly removed: number }).removed;
  }

  it('stays as long as a process may go on with it, and goes some nights later', async () => {
    const began = Date.now();
    const killed = await write('cdl/harvest/20170209/20170209_104428-cdl-A.v1.avro');
    const other = await write('cdl/harvest/20170209/20170209_104428-cdl-B.v1.avro');
    await stop(killed);
    await stores.jobs.add(KIND, 'now', {});
    assert.equal(await removedAt(0, (id) => id === 'now'), 0);
    await stop(other);
    assert.equal(await removedAt(LATER_S, (id) => id !== 'now' && id > idOfTime(began)), 2);
    const { location } = place;
    if (location.kind === 'folder') assert.deepEqual(await readdir(join(location.folder, '.unfinished')), []);
  });
});
