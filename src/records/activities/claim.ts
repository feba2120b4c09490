import { formatKey } from '../../artifacts/artifact-key.ts';
import type { ArtifactStore, ObjectKey } from '../../artifacts/artifact-store.ts';
import type { SchemaId } from '../../artifacts/avro/avro-schemas.ts';
import { putJson } from '../../artifacts/json-object.ts';
import { unlessConflict } from '../../core/errors.ts';
import type { RunnableActivity } from './activities.ts';

interface RunName {
  readonly provider: string;
  readonly activity: RunnableActivity;
  /** The start of the run, or the given time in its place. */
  readonly start: Date;
  readonly schema: SchemaId;
}

export interface Claim {
  readonly key: ObjectKey;
  /** In whole seconds. */
  readonly start: Date;
}

const SECOND = 1000;

/**
 * Reserves a second for a run, by writing its `-claim.json`: the second of its start, or the next free one, so that no
 * two runs have the same key. Seconds with files of a dead run, or of a program that writes no claims, are skipped.
 */
export async function claimSecond(
  store: ArtifactStore,
  run: RunName,
  { version, signal }: { readonly version: string; readonly signal: AbortSignal },
): Promise<Claim> {
  let start = new Date(Math.floor(run.start.getTime() / SECOND) * SECOND);
  for (;;) {
    const key = formatKey({ kind: 'avro', ...run, start });
    if (await isFree(store, key)) {
      const claim = { claimed: new Date().toISOString(), version };
      const put = await unlessConflict(putJson(store, { kind: 'claim', of: key }, claim, { signal }));
      if (put !== undefined) return { key, start };
    }
    start = new Date(start.getTime() + SECOND);
  }
}

/** Whether no object has a key with the prefix of this run. */
async function isFree(store: ArtifactStore, key: ObjectKey): Promise<boolean> {
  for await (const objects of store.list(key.slice(0, -'.avro'.length))) if (objects.length > 0) return false;
  return true;
}
