import { isTidemarkError } from '../core/errors.ts';
import type { SetRegistry } from '../sets/set-registry.ts';
import type { ResourceIndex } from '../stores/resource-index.ts';
import { statusOf, type UploadStatus } from './arrivals/upload-state.ts';
import type { Uploads } from './arrivals/uploads.ts';
import type { StreamDumps } from './dumps/stream-dumps.ts';
import { type StreamName, type StreamWithSet, setOfStream } from './stream-set-names.ts';

/** Statistics of a stream. */
export interface StreamStatistics {
  /** Number of live records. */
  readonly records: number;
  /** Number of all changes of records so far. */
  readonly changes: number;
  readonly uploads: Readonly<Record<UploadStatus, number>>;
  /** Time when the newest upload was received, in milliseconds since 1970. */
  readonly lastUpload: number | undefined;
  /** Number of listed full dumps and deltas. */
  readonly dumps: number;
}

interface Parts {
  readonly sets: Pick<SetRegistry, 'bySlug'>;
  readonly index: Pick<ResourceIndex, 'summary'>;
  readonly uploads: Pick<Uploads, 'list'>;
  readonly streamDumps: Pick<StreamDumps, 'list'>;
}

/** Number of uploads that are read at a time. */
const PAGE = 500;

/** Counts all uploads of a stream, so the time grows with their number. @throws TidemarkError `not-found` */
export async function streamStatistics(name: StreamWithSet, parts: Parts): Promise<StreamStatistics> {
  const [counts, dumps, uploads] = await Promise.all([
    countRecords(name, parts),
    parts.streamDumps.list(name),
    countUploads(name, parts),
  ]);
  return { ...counts, ...uploads, dumps: dumps.length };
}

async function countRecords(name: StreamWithSet, { sets, index }: Parts) {
  try {
    const { resources: records, changes } = await index.summary((await sets.bySlug(setOfStream(name, 'records'))).id);
    return { records, changes };
  } catch (error) {
    // The set does not exist yet.
    if (isTidemarkError(error, 'not-found')) return { records: 0, changes: 0 };
    throw error;
  }
}

async function countUploads({ organization, stream }: StreamName, { uploads: all }: Parts) {
  const uploads = { waiting: 0, processing: 0, processed: 0, failed: 0, removed: 0 };
  let lastUpload: number | undefined;
  for (let before: number | undefined; ; ) {
    const { uploads: page, states } = await all.list(organization, stream, { before, limit: PAGE });
    lastUpload ??= page[0]?.received;
    for (const { number } of page) uploads[statusOf(states.get(number))]++;
    before = page.at(-1)?.number;
    if (page.length < PAGE) return { uploads, lastUpload };
  }
}
