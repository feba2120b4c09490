import { defineJob } from '../../../src/jobs/job-definition.ts';
import type { JobParts } from '../../../src/jobs/job-parts.ts';
import { JobRunner } from '../../../src/jobs/job-runner.ts';
import type { StoreLocation } from '../../../src/stores/locations.ts';
import { openStores } from '../../../src/stores/open-stores.ts';

/** Adds jobs of nothing, and does them with one worker, one at a time. Prints `{seconds}` of doing them. */
const { store, count } = JSON.parse(process.argv[2]!) as { store: StoreLocation; count: number };

const { jobs, close } = await openStores(store);
await jobs.addAll(Array.from({ length: count }, (_, at) => ({ kind: 'nothing', id: String(at) })));
const nothing = defineJob({
  kind: 'nothing',
  retry: { attempts: 1, firstMs: 1, longestMs: 1 },
  run: async () => {},
});
const done = Promise.withResolvers<void>();
let ended = 0;
const runner = new JobRunner({
  definitions: [nothing],
  parts: { jobs: { queue: jobs } } as JobParts,
  worker: { name: 'bench', leaseMs: 30_000 },
  concurrency: 1,
  events: {
    onEnded() {
      ended += 1;
      if (ended === count) done.resolve();
    },
  },
});
const start = performance.now();
runner.start();
await done.promise;
const seconds = (performance.now() - start) / 1000;
await runner.stop();
const left = (await jobs.counts()).filter(({ state }) => state !== 'done');
await close();
if (left.length > 0) throw new Error(`not all jobs are done: ${JSON.stringify(left)}`);
console.log(JSON.stringify({ seconds }));
