import { setTimeout as wait } from 'node:timers/promises';
import type { Response } from 'express';
import { type Configuration, describeStore } from '../../config/configuration.ts';
import { VERSION } from '../../config/version.ts';
import type { LiveFigures } from '../../observe/metrics/live-figures.ts';
import { type SummarizedSet, summarize } from '../../sets/summarized-sets.ts';
import type { ServedApp } from '../request/served-app.ts';
import { shownSets } from '../response/shown-sets.ts';
import type { Viewer } from './parts/frame.ts';

/** Sets that are named; of more it is told how many they are. */
const NAMED_SETS = 100;
/** Milliseconds that the page waits for the store. */
const PATIENCE = 2_000;

/** How the source is. */
export interface Status {
  readonly version: string;
  /** How long the store took to answer, in milliseconds; undefined when it did not. */
  readonly storeAnswered: number | undefined;
  /** Those that are being read for the first time, the first of them with their figures. */
  readonly reading: { readonly total: number; readonly sets: readonly SummarizedSet[] };
  readonly ready: number;
  /** For those who may see them. */
  readonly figures: LiveFigures | undefined;
  /** What the store is, for an administrator: it may name machines. */
  readonly store: string | undefined;
}

type StoreStatus = Pick<Status, 'storeAnswered' | 'reading' | 'ready'>;
const NO_ANSWER: StoreStatus = { storeAnswered: undefined, reading: { total: 0, sets: [] }, ready: 0 };

export async function statusOf(app: ServedApp, response: Response, viewer: Viewer): Promise<Status> {
  const { configuration, metrics } = app;
  const [store, figures] = await Promise.all([
    askStore(app, response),
    viewer.seesFigures ? metrics.live.figures() : undefined,
  ]);
  return { version: VERSION, ...store, figures, store: viewer.isAdministrator ? placeOf(configuration) : undefined };
}

/** Whatever is wrong with the store, the page that tells of it is shown, and soon. */
async function askStore(app: ServedApp, response: Response): Promise<StoreStatus> {
  const limit = new AbortController();
  const late = wait(PATIENCE, NO_ANSWER, { signal: limit.signal, ref: false }).catch(() => NO_ANSWER);
  const answer = await Promise.race([lookAtStore(app, response).catch(() => NO_ANSWER), late]);
  limit.abort();
  return answer;
}

async function lookAtStore(app: ServedApp, response: Response): Promise<StoreStatus> {
  const { index } = app;
  const began = performance.now();
  await index.watermark();
  const storeAnswered = performance.now() - began;
  const sets = await shownSets(app, response);
  const reading = sets.filter(({ ready }) => !ready);
  const named = await summarize(index, reading.slice(0, NAMED_SETS));
  return { storeAnswered, reading: { total: reading.length, sets: named }, ready: sets.length - reading.length };
}

function placeOf({ store }: Configuration): string {
  return describeStore(store);
}
