import type { Response } from 'express';
import { VERSION } from '../../config/version.ts';
import type { ResourceSet } from '../../core/resource-set.ts';
import { withTimeout } from '../../lib/with-timeout.ts';
import type { LiveFigures } from '../../observe/metrics/live-server.ts';
import { type SummarizedSet, summarize } from '../../sets/summarized-sets.ts';
import { describeStore } from '../../stores/locations.ts';
import type { ServedApp } from '../request/served-app.ts';
import { shownFigures } from '../response/shown-figures.ts';
import { shownSets } from '../response/shown-sets.ts';
import type { Viewer } from './parts/frame.ts';

/** Most sets that are listed; of more, only the number is shown. */
const NAMED_SETS = 100;
/** Milliseconds that the store may take to answer. */
const STORE_TIMEOUT_MS = 2_000;

/** The state of the source. */
export interface Status {
  readonly version: string;
  /** The response time of the store in milliseconds; undefined when it did not answer. */
  readonly storeAnswered: number | undefined;
  /** The sets that are being read for the first time, the first of them with their figures. */
  readonly reading: { readonly total: number; readonly sets: readonly SummarizedSet[] };
  readonly ready: number;
  /** The sets that cannot be synced with their sources at present. */
  readonly troubled: readonly ResourceSet[];
  /** Only for viewers that may see them. */
  readonly figures: LiveFigures | undefined;
  /** The store, for an administrator: it may name machines. */
  readonly store: string | undefined;
}

type StoreStatus = Pick<Status, 'storeAnswered' | 'reading' | 'ready' | 'troubled'>;
const NO_ANSWER: StoreStatus = { storeAnswered: undefined, reading: { total: 0, sets: [] }, ready: 0, troubled: [] };

export async function statusOf(app: ServedApp, response: Response, viewer: Viewer): Promise<Status> {
  const { configuration } = app;
  const [store, figures] = await Promise.all([
    // The page must be shown soon, whatever is wrong with the store.
    withTimeout(askStore(app, response), STORE_TIMEOUT_MS, () => NO_ANSWER).catch(() => NO_ANSWER),
    viewer.seesFigures ? shownFigures(app, response) : undefined,
  ]);
  return {
    version: VERSION,
    ...store,
    figures,
    store: viewer.isAdministrator ? describeStore(configuration.store) : undefined,
  };
}

async function askStore(app: ServedApp, response: Response): Promise<StoreStatus> {
  const { index } = app;
  const began = performance.now();
  await index.watermark();
  const storeAnswered = performance.now() - began;
  const sets = await shownSets(app, response);
  const reading = sets.filter(({ ready }) => !ready);
  const named = await summarize(index, reading.slice(0, NAMED_SETS));
  const troubled = sets.filter(({ trouble }) => trouble !== undefined);
  const ready = sets.length - reading.length;
  return { storeAnswered, reading: { total: reading.length, sets: named }, ready, troubled };
}
