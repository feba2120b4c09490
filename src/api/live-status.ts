import * as z from 'zod';
import { formatStamp } from '../core/stamp.ts';
import type { LiveFigures } from '../observe/metrics/live-server.ts';
import { lagOf } from '../observe/metrics/source-metrics.ts';

/**
 * The state of a running server, for users and `tidemark status`, which may be of an earlier version: it ignores fields
 * that it does not know. Rates are of the last minute.
 */
export const liveStatusSchema = z.object({
  baseUrl: z.string(),
  version: z.string(),
  /** Differs between files of stores; absent for a store on Elasticsearch. */
  storeFile: z.string().optional(),
  uptimeSeconds: z.number(),
  /** Null when the store does not answer. */
  store: z
    .strictObject({
      sets: z.object({ ready: z.int(), preparing: z.int() }),
      resources: z.int(),
      changes: z.int(),
      /** The time up to which everything is applied; absent in an empty store. */
      watermark: z.string().optional(),
      commitsWaiting: z.int(),
      lagSeconds: z.number(),
    })
    .meta({ id: 'StoreStatus' })
    .nullable(),
  /** Of a store on Elasticsearch; absent from a server of an earlier version, and when the store does not answer. */
  indices: z
    .array(
      z
        .object({
          name: z.string(),
          shards: z.int().meta({ description: 'Primary shards.' }),
          replicas: z.int().meta({ description: 'Other copies of each shard.' }),
          documents: z.int(),
          bytes: z.int().meta({ description: 'On the disks of all nodes, of all copies.' }),
        })
        .meta({ id: 'StoredIndex' }),
    )
    .optional(),
  /** Absent from a server of an earlier version. The reason is not shown here: it names machines. */
  artifactStore: z.enum(['available', 'unavailable']).optional(),
  events: z.object({ applied: z.int(), unchanged: z.int(), rejected: z.int(), perSecond: z.number() }),
  requests: z.object({ answered: z.int(), inFlight: z.int(), perSecond: z.number() }),
  cache: z.object({
    documents: z.int(),
    bytes: z.int(),
    mostBytes: z.int(),
    hits: z.int(),
    misses: z.int(),
  }),
  pages: z.object({ current: z.int(), outOfDate: z.int() }),
  scanning: z.array(z.object({ set: z.string(), files: z.int(), hashed: z.int(), bytes: z.int() })),
  rootsInTrouble: z.int(),
});

export type LiveStatus = z.infer<typeof liveStatusSchema>;

export function liveStatus(
  { store, ...live }: LiveFigures,
  about: Pick<LiveStatus, 'baseUrl' | 'version' | 'storeFile' | 'indices'>,
): LiveStatus {
  return { ...about, ...live, scanning: [...live.scanning], store: store === undefined ? null : storeStatus(store) };
}

/** The current state of the store. */
export function storeStatus({ sets, totals, progress }: NonNullable<LiveFigures['store']>) {
  const { applied, waiting } = progress;
  return {
    sets,
    ...totals,
    ...(applied > 0 && { watermark: formatStamp(applied) }),
    commitsWaiting: waiting,
    lagSeconds: lagOf(progress),
  };
}
