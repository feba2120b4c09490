import { workerData } from 'node:worker_threads';
import { type ArtifactLocation, openArtifacts } from '../../artifacts/open-artifacts.ts';
import type { KeyRange } from '../../core/key.ts';
import type { SetId } from '../../core/resource-set.ts';
import { armFailpoint } from '../../lib/failpoint.ts';
import { serveCalls } from '../../lib/workers/rpc.ts';
import type { StoreLocation } from '../../stores/locations.ts';
import { openStores } from '../../stores/open-stores.ts';
import { requestObserver } from '../../stores/request-counts.ts';
import type { Limits, Survey } from '../../stores/resource-states.ts';
import { type KeepPageJob, keepPage } from '../archives/keep-page.ts';
import { KeptLists } from '../archives/kept-lists.ts';
import type { KeptPage } from '../archives/list-manifest.ts';
import { basisOf, renderIncrementally } from '../render/incremental-render.ts';
import { render } from '../render/render-job.ts';
import type { RenderTask } from './document-cache.ts';
import { type DocumentRecord, writeDocument } from './document-files.ts';

/** Data that the thread is started with. */
export interface RenderThreadData {
  readonly store: StoreLocation;
  /** The store of archived lists. */
  readonly artifacts: ArtifactLocation;
  readonly failpoint: string | undefined;
  /** Counters of its requests to the store. */
  readonly requests: SharedArrayBuffer;
}

/** The thread that renders documents, one at a time. It has its own connection to the store. */
const { store, artifacts: location, failpoint, requests } = workerData as RenderThreadData;
armFailpoint(failpoint);
const { index, close } = await openStores(store, { observer: requestObserver(requests) });
const artifacts = openArtifacts(location);
const kept = new KeptLists(artifacts);

const functions = {
  async render(record: string, { job, newest, immutable = false, older }: RenderTask): Promise<DocumentRecord> {
    const text = (older && (await renderIncrementally(job, older, index))) ?? render(job, index, kept);
    return writeDocument(record, text, { newest, immutable, basis: basisOf(job) });
  },
  keepPage: (job: KeepPageJob): Promise<KeptPage> => keepPage(job, { index, artifacts }),
  survey: (set: SetId, range: KeyRange, limits: Limits): Promise<Survey> => index.survey(set, range, limits),
};
export type RenderFunctions = typeof functions;

serveCalls(functions, async () => {
  await artifacts.close();
  await close();
});
