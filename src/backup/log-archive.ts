import type { ArtifactStore } from '../artifacts/artifact-store.ts';
import { VERSION } from '../config/version.ts';
import { TidemarkError } from '../core/errors.ts';
import { formatStamp, type Stamp } from '../core/stamp.ts';
import { failpoint } from '../lib/failpoint.ts';
import type { ChangeLog } from '../stores/change-log.ts';
import type { Stores } from '../stores/open-stores.ts';
import type { ArchiveChain } from './archive-chain.ts';
import { digestOf, readDocuments, toLogPositions } from './catalog-documents.ts';
import { FORMAT, type LastChange, type SegmentMark } from './segment.ts';
import { SegmentParts } from './segment-parts.ts';
import { chainOfStore } from './store-chain.ts';

export type ArchivedStores = Pick<Stores, 'index' | 'catalog' | 'gauge'>;

export interface ArchiveInput {
  readonly stores: ArchivedStores;
  readonly artifacts: ArtifactStore;
  /** Starts another archive of the store, with all of its log. */
  readonly anew?: boolean | undefined;
  readonly signal?: AbortSignal | undefined;
  /** @param done changes of `total` */
  onProgress?(done: number, total: number): void;
}

export interface Archived {
  readonly chain: string;
  /** `outrun`: another process meanwhile archived this part of the log. */
  readonly status: 'written' | 'nothing-new' | 'outrun';
  /** The newest segment; undefined when there is nothing to archive yet. */
  readonly mark: SegmentMark | undefined;
}

/**
 * Writes a segment with the changes since the last one. Posting continues meanwhile; memory does not grow with the log.
 * A killed process leaves only a file that no segment names.
 * @throws TidemarkError `conflict` when the archive has another history than the store; as both stores do
 */
export async function archiveLog(input: ArchiveInput): Promise<Archived> {
  const { stores, artifacts, signal } = input;
  const { index, catalog } = stores;
  const chain = await chainOfStore({ catalog, artifacts, anew: input.anew });
  const before = await chain.last();
  if (before !== undefined) await requireSameHistory(index, before, chain);
  // Documents that count changes are read first, so that they are never ahead of the log; sets last, so that the set of
  // every change is included.
  const positions = toLogPositions(await index.positions());
  const documents = await readDocuments(catalog, 'before');
  const through = await index.watermark();
  documents.push(...(await readDocuments(catalog, 'after')));

  const segment = { chain: chain.id, number: (before?.number ?? 0) + 1, after: before?.through ?? 0, through };
  const hasChanges = (await index.tail(segment.after, 1)).some(({ stamp }) => stamp < through);
  const hasOrders = await isNotEmpty(index.raisedOrders({ after: segment.after, until: through }));
  const isSame =
    before?.documents.digest === digestOf(documents) &&
    before.positions.digest === digestOf(positions) &&
    !hasChanges &&
    !hasOrders;
  if (isSame || (before === undefined && documents.length === 0)) {
    return { chain: chain.id, status: 'nothing-new', mark: before };
  }
  const parts = new SegmentParts({ artifacts, segment, before, signal });
  const changes = hasChanges ? await parts.changes(stores, input.onProgress) : undefined;
  const mark: SegmentMark = {
    format: FORMAT,
    number: segment.number,
    after: segment.after,
    through,
    changes: changes?.file,
    ...(hasOrders && { orders: await parts.orders(stores) }),
    total: (before?.total ?? 0) + (changes?.file.records ?? 0),
    last: changes?.last ?? before?.last,
    documents: await parts.documents(documents),
    positions: await parts.positions(positions),
    written: new Date().toISOString(),
    version: VERSION,
  };
  failpoint('archive.written');
  const isAppended = await chain.append(mark, signal);
  failpoint('archive.marked');
  return isAppended
    ? { chain: chain.id, status: 'written', mark }
    : { chain: chain.id, status: 'outrun', mark: await chain.last() };
}

async function isNotEmpty(batches: AsyncIterable<readonly unknown[]>): Promise<boolean> {
  for await (const batch of batches) if (batch.length > 0) return true;
  return false;
}

/**
 * The last archived change must be in the log: otherwise the store was restored to an earlier time, or another store
 * writes to the archive.
 */
async function requireSameHistory(index: ChangeLog, mark: SegmentMark, chain: ArchiveChain): Promise<void> {
  const isAhead = (await index.watermark()) < mark.through;
  if (!isAhead && (await containsChange(index, mark.last))) return;
  const at: Stamp = mark.last?.stamp ?? mark.through;
  throw new TidemarkError(
    'conflict',
    `${chain.name} ends with a change of ${formatStamp(at)} that this store does not have: it was restored from an older ` +
      'backup, or another store writes there, too. Begin another archive with "tidemark archive --anew"',
    { archive: chain.id },
  );
}

async function containsChange(index: ChangeLog, last: LastChange | undefined): Promise<boolean> {
  if (last === undefined) return true;
  const [found] = await index.tail(last.stamp - 1, 1);
  return found?.stamp === last.stamp && found.set === last.set && found.key === last.key;
}
