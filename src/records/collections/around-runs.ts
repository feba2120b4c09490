import type { UploadState } from '../arrivals/upload-state.ts';
import type { Uploads } from '../arrivals/uploads.ts';
import type { Collection } from './collection.ts';
import type { HarvestRecord } from './harvest-record.ts';
import type { HarvestRun, HarvestStatus } from './harvest-run.ts';

/** PORT. What is done around runs that change their sets: see nsdl/nsdl.ts. Each call may be repeated. */
export interface AroundRuns {
  /** Called before anything of a run is applied. */
  beforeRun(collection: Collection, run: HarvestRun): Promise<void>;
  /** Called when the records of a run are applied, and it has not ended yet. */
  afterRun(collection: Collection, run: HarvestRun, state: Pick<UploadState, 'read'>): Promise<void>;
  /** The files of a run with `pieces`, in their order. @throws TidemarkError `invalid` when one is missing */
  piecesOf(run: HarvestRun): AsyncIterable<DeliveredPiece>;
}

export interface DeliveredPiece {
  readonly name: string;
  /** Bytes. */
  readonly length: number;
  read(): AsyncIterable<Uint8Array>;
}

/** Waits until the upload of a run has ended, and then for what follows it when it was applied. */
export async function settledAround<Ending extends { readonly status: HarvestStatus }>(
  { run }: Pick<HarvestRecord, 'run'>,
  collection: Collection,
  parts: {
    readonly uploads: Pick<Uploads, 'get' | 'stateOf'>;
    around(): AroundRuns | undefined;
    settle(run: HarvestRun): Promise<Ending>;
  },
): Promise<Ending> {
  const ending = await parts.settle(run);
  const around = parts.around();
  if (around === undefined || ending.status === 4) return ending;
  const { provider, id } = collection;
  const state = await parts.uploads.stateOf(await parts.uploads.get(provider, id, run.upload!));
  await around.afterRun(collection, run, state ?? {});
  return ending;
}
