import type { ArtifactStore } from '../artifacts/artifact-store.ts';
import type { LogChange, LogDocument, LogOrder, LogPosition } from '../artifacts/avro/avro-schemas.ts';
import { batchesOf } from '../lib/calls/batches.ts';
import type { Stores } from '../stores/open-stores.ts';
import { digestOf, RecordDigest } from './catalog-documents.ts';
import { ChangeDigest, toLogChange } from './change-rows.ts';
import { type FileContents, type SegmentName, writeFile } from './file-writer.ts';
import type { ArchivedFile, LastChange, SegmentMark } from './segment.ts';

interface PartsOptions {
  readonly artifacts: ArtifactStore;
  readonly segment: SegmentName;
  readonly before: SegmentMark | undefined;
  readonly signal: AbortSignal | undefined;
}

/** The files of a segment. */
export class SegmentParts {
  readonly #options: PartsOptions;

  constructor(options: PartsOptions) {
    this.#options = options;
  }

  async changes(
    { index, gauge }: Pick<Stores, 'index' | 'gauge'>,
    onProgress: ((done: number, total: number) => void) | undefined,
  ): Promise<{ file: ArchivedFile; last: LastChange | undefined }> {
    const { before, segment, signal } = this.#options;
    const total = (await gauge.totals([])).changes - (before?.total ?? 0);
    let last: LastChange | undefined;
    async function* rows(): AsyncGenerator<readonly LogChange[]> {
      for await (const changes of index.log({ after: segment.after, until: segment.through })) {
        signal?.throwIfAborted();
        const { set, key, stamp } = changes.at(-1)!;
        last = { set, key, stamp };
        yield changes.map(toLogChange);
      }
    }
    const file = await this.#write({
      part: 'changes',
      schema: 'log.Change.v2',
      records: rows(),
      digest: new ChangeDigest(),
      onProgress: (done) => onProgress?.(done, Math.max(total, done)),
    });
    return { file, last };
  }

  async documents(documents: readonly LogDocument[]): Promise<ArchivedFile> {
    const known = this.#options.before?.documents;
    if (known?.digest === digestOf(documents)) return known;
    const records = batchesOf(documents, 1_000);
    return this.#write({ part: 'documents', schema: 'log.CatalogDocument.v1', records, digest: new RecordDigest() });
  }

  async positions(positions: readonly LogPosition[]): Promise<ArchivedFile> {
    const known = this.#options.before?.positions;
    if (known?.digest === digestOf(positions)) return known;
    const records = batchesOf(positions, 1_000);
    return this.#write({ part: 'positions', schema: 'log.Position.v1', records, digest: new RecordDigest() });
  }

  async orders({ index }: Pick<Stores, 'index'>): Promise<ArchivedFile> {
    const { segment } = this.#options;
    const records = index.raisedOrders({ after: segment.after, until: segment.through });
    return this.#write({
      part: 'orders',
      schema: 'log.Order.v1',
      records: inOneOrder(records),
      digest: new RecordDigest(),
    });
  }

  #write<Id extends 'log.Change.v2' | 'log.Order.v1' | 'log.CatalogDocument.v1' | 'log.Position.v1'>(
    contents: FileContents<Id>,
  ): Promise<ArchivedFile> {
    const { artifacts, segment, signal } = this.#options;
    return writeFile(artifacts, segment, { ...contents, signal });
  }
}

/** Puts the fields in one order, so that equal records have equal digests. */
async function* inOneOrder(batches: AsyncIterable<readonly LogOrder[]>): AsyncGenerator<readonly LogOrder[]> {
  for await (const batch of batches) yield batch.map(({ set, key, order, stamp }) => ({ set, key, order, stamp }));
}
