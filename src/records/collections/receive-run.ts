import type { ArtifactStore } from '../../artifacts/artifact-store.ts';
import { TidemarkError } from '../../core/errors.ts';
import { tarOf } from '../arrivals/oai-harvest/page-tar.ts';
import { storeFile } from '../arrivals/store-file.ts';
import type { AroundRuns } from './around-runs.ts';
import type { Collection } from './collection.ts';
import type { HarvestRecord } from './harvest-record.ts';
import { harvestText } from './harvest-run.ts';
import { harvestFields } from './reading-of.ts';
import { type HarvestParts, type ReceivingAttempt, receiveAgain, receiveHarvest } from './receive-harvest.ts';

export interface ReceivingParts extends HarvestParts {
  readonly artifacts: Pick<ArtifactStore, 'put'>;
  /** Undefined without NSDL's folders. */
  around(): AroundRuns | undefined;
}

/**
 * Makes an upload of what a run reads, and returns its number; undefined when nothing is new.
 * @throws as `receiveHarvest`; TidemarkError `conflict` when another process has to do it
 */
export async function receiveRun(
  record: HarvestRecord,
  collection: Collection,
  attempt: ReceivingAttempt,
  parts: ReceivingParts,
): Promise<number | undefined> {
  await parts.around()?.beforeRun(collection, record.run);
  if (record.run.pieces !== undefined) return receivePieces(record, collection, parts);
  if (record.run.kind === 'again') return receiveAgain(record, collection, parts);
  return receiveHarvest(record, collection, attempt, parts);
}

/** All pieces are one delivery, since they are one harvest. */
async function receivePieces(
  { run }: HarvestRecord,
  collection: Collection,
  { uploads, artifacts, around }: Pick<ReceivingParts, 'uploads' | 'artifacts' | 'around'>,
): Promise<number> {
  const { provider: organization, id: stream } = collection;
  const pieces = around()?.piecesOf(run);
  if (pieces === undefined) throw new TidemarkError('conflict', 'this process has no folder of NSDL (--nsdl-folder)');
  const files = [await storeFile(`${run.uuid}.tar`, tarOf(pieces), { artifacts, organization })];
  const token = `harvest ${harvestText(run)}`;
  return (await uploads.record({ organization, stream, files, token, ...harvestFields(collection, run) })).number;
}
