import { formatKey } from '../../artifacts/artifact-key.ts';
import type { ArtifactStore, ObjectKey } from '../../artifacts/artifact-store.ts';
import { COMPANION } from '../../artifacts/find-artifacts.ts';
import { putJson } from '../../artifacts/json-object.ts';
import { parseAvroKey } from '../../artifacts/keys/avro-key.ts';
import { writeProvenance } from '../../artifacts/provenance.ts';
import { unlessConflict } from '../../core/errors.ts';
import { type RunSummary, readRunSummary } from '../activities/run-summary.ts';

/**
 * Ends an earlier attempt of a run, by the key that it has claimed, whether its process still works or not. An attempt
 * writes its summary after its files, and before its provenance. When there is one, the artifact is made to exist, as
 * that attempt would have done; its summary is returned. When there is none, this writes one in its place, so that the
 * attempt fails when it comes to that, and its artifact never exists; undefined is returned.
 */
export async function settleClaim(
  store: ArtifactStore,
  key: ObjectKey,
  signal: AbortSignal,
): Promise<RunSummary | undefined> {
  const name = { kind: 'summary', of: key } as const;
  const abandoned = { key, abandoned: new Date().toISOString() };
  if ((await unlessConflict(putJson(store, name, abandoned, { signal }))) !== undefined) return undefined;
  const summary = await readRunSummary(store, key);
  if (summary?.published) {
    const publish = (of: ObjectKey) => unlessConflict(writeProvenance(store, of, summary, { signal }));
    if (summary.deleted > 0) await publish(formatKey({ ...parseAvroKey(key)!, schema: COMPANION }));
    await publish(key);
  }
  return summary;
}
