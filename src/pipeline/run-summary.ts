import { z } from 'zod';
import { formatKey } from '../artifacts/artifact-key.ts';
import type { ArtifactStore, ObjectKey } from '../artifacts/artifact-store.ts';
import { readContainer } from '../artifacts/avro/container-reader.ts';
import { type FoundArtifact, latestArtifact } from '../artifacts/find-artifacts.ts';
import { readJson } from '../artifacts/json-object.ts';
import type { Hashes } from '../core/hash.ts';
import type { RunnableActivity } from './activities.ts';

/** What a run did; kept as `-summary.json` beside its artifact. Times are UTC. */
export interface RunSummary {
  readonly provider: string;
  readonly activity: RunnableActivity;
  /** Of the Avro file. */
  readonly key: ObjectKey;
  readonly generator: string;
  /** The name of the transform; a harvest has none. */
  readonly transform?: string | undefined;
  /** Of the software. */
  readonly version: string;
  /** False when the run stopped before it published anything. */
  readonly published: boolean;
  /** As in the key. */
  readonly start: string;
  readonly began: string;
  readonly ended: string;
  readonly seconds: number;
  /** Records of the input, also those that are none. */
  readonly attempted: number;
  readonly written: number;
  /** Of which the provider says that they were deleted. */
  readonly deleted: number;
  readonly failed: number;
  /** Left out, because their id comes again later. */
  readonly duplicates: number;
  /** Of which the transform made nothing. */
  readonly omitted: number;
  /** Documents of MAP 4.0 that do not seem to be RDF; absent when there are none. */
  readonly notRdf?: number | undefined;
  /** Files of a folder that are no documents. */
  readonly passedOver?: number | undefined;
  /** Links of a folder that lead to no file in it; absent when there are none. */
  readonly passedOverLinks?: number | undefined;
  /** How many records failed, by kind; the most frequent first. */
  readonly errors: Readonly<Record<string, number>>;
  readonly recordsPerSecond: number;
  /** Bytes of the Avro file. */
  readonly length?: number | undefined;
  readonly hashes?: Hashes | undefined;
  /** The run before. */
  readonly previous?: PreviousRun | undefined;
  /** The part of its records that is missing now, from 0 to 1. */
  readonly drop?: number | undefined;
}

export interface PreviousRun {
  readonly key: ObjectKey;
  readonly written: number;
}

const WRITTEN = z.object({ written: z.int().min(0) });

/** The newest run of an activity that began at this time or before, and how many records it wrote. */
export async function previousRun(
  store: ArtifactStore,
  run: { readonly provider: string; readonly activity: RunnableActivity; readonly start: Date },
): Promise<PreviousRun | undefined> {
  const found = await latestArtifact(store, { ...run, before: run.start });
  if (found === undefined) return undefined;
  const summary = await readJson(store, formatKey({ kind: 'summary', of: found.key }), WRITTEN);
  return { key: found.key, written: summary?.written ?? (await countRecords(store, found)) };
}

/** For files of a program that writes no summaries. */
async function countRecords(store: ArtifactStore, { key, schema }: FoundArtifact): Promise<number> {
  const { body } = await store.get(key);
  let count = 0;
  for await (const { place } of readContainer(body, { schema, name: key })) count += place.records;
  return count;
}
