import { z } from 'zod';
import { formatKey } from '../../artifacts/artifact-key.ts';
import type { ArtifactStore, ObjectKey } from '../../artifacts/artifact-store.ts';
import { readContainer } from '../../artifacts/avro/container-reader.ts';
import { type FoundArtifact, latestArtifact } from '../../artifacts/find-artifacts.ts';
import { readJson } from '../../artifacts/json-object.ts';
import type { Hashes } from '../../core/hash.ts';
import type { RunnableActivity } from './activities.ts';

/** The summary of a run, stored as `-summary.json` beside its artifact. Times are UTC. */
export interface RunSummary {
  readonly provider: string;
  readonly activity: RunnableActivity;
  /** Key of the Avro file. */
  readonly key: ObjectKey;
  readonly generator: string;
  /** The name of the transform; absent for a harvest. */
  readonly transform?: string | undefined;
  /** Version of the software. */
  readonly version: string;
  /** False when the run stopped before it published anything. */
  readonly published: boolean;
  /** Start of the run, as in the key. */
  readonly start: string;
  readonly began: string;
  readonly ended: string;
  readonly seconds: number;
  /** Number of records of the input, including invalid ones. */
  readonly attempted: number;
  readonly written: number;
  /** Number of records that the provider reports as deleted. */
  readonly deleted: number;
  readonly failed: number;
  /** Number of records left out because their id comes again later. */
  readonly duplicates: number;
  /** Number of records for which the transform returned nothing. */
  readonly omitted: number;
  /** Number of documents of MAP 4.0 that do not seem to be RDF; absent when there are none. */
  readonly notRdf?: number | undefined;
  /** Number of files of a folder that are not documents. */
  readonly passedOver?: number | undefined;
  /** Number of links of a folder that lead to no file in it; absent when there are none. */
  readonly passedOverLinks?: number | undefined;
  /** Number of failed records by kind, the most frequent first. */
  readonly errors: Readonly<Record<string, number>>;
  readonly recordsPerSecond: number;
  /** Bytes of the Avro file. */
  readonly length?: number | undefined;
  readonly hashes?: Hashes | undefined;
  /** The previous run. */
  readonly previous?: PreviousRun | undefined;
  /** The share of its records that is missing now, from 0 to 1. */
  readonly drop?: number | undefined;
}

export interface PreviousRun {
  readonly key: ObjectKey;
  readonly written: number;
}

/** Fields that show that a summary is one of this program; or what runs/settle-claim.ts writes in its place. */
const SUMMARY = z.union([
  z.looseObject({ abandoned: z.string() }),
  z.looseObject({ published: z.boolean(), generator: z.string(), version: z.string(), deleted: z.int() }),
]);
const WRITTEN = z.object({ written: z.int().min(0) });

/** The summary of a run of this program; undefined when there is none, or when the run was abandoned. */
export async function readRunSummary(store: ArtifactStore, key: ObjectKey): Promise<RunSummary | undefined> {
  const found = await readJson(store, formatKey({ kind: 'summary', of: key }), SUMMARY);
  return found === undefined || 'abandoned' in found ? undefined : (found as unknown as RunSummary);
}

/** The newest run of an activity that started at this time or before, and its number of records. */
export async function previousRun(
  store: ArtifactStore,
  run: { readonly provider: string; readonly activity: RunnableActivity; readonly start: Date },
): Promise<PreviousRun | undefined> {
  const found = await latestArtifact(store, { ...run, before: run.start });
  if (found === undefined) return undefined;
  const summary = await readJson(store, formatKey({ kind: 'summary', of: found.key }), WRITTEN);
  return { key: found.key, written: summary?.written ?? (await countRecords(store, found)) };
}

/** Counts records, for files of a program that writes no summaries. */
async function countRecords(store: ArtifactStore, { key, schema }: FoundArtifact): Promise<number> {
  const { body } = await store.get(key);
  let count = 0;
  for await (const { place } of readContainer(body, { schema, name: key })) count += place.records;
  return count;
}
