import type { ArtifactStore, ObjectKey } from '../../artifacts/artifact-store.ts';
import { ACTIVITIES, type Activity } from '../../artifacts/keys/activity.ts';
import { parseAvroKey } from '../../artifacts/keys/avro-key.ts';
import { type Plan, writePlan } from '../../artifacts/plan.ts';
import { readProvenanceChain } from '../../artifacts/provenance.ts';
import { unlessConflict } from '../../core/errors.ts';

interface PlannedRun {
  readonly provider: string;
  readonly activity: Activity;
  readonly key: ObjectKey;
  readonly start: Date;
}

/**
 * Writes a plan of an ingest up to this run (A29): the file of this run, and those of the previous activities, from the
 * given plan, else from the provenance. Returns its key, which contains the time of the run, or of the next second
 * without a plan.
 */
export async function writePlanOf(
  store: ArtifactStore,
  run: PlannedRun,
  {
    given,
    version,
    signal,
  }: { readonly given: Plan | undefined; readonly version: string; readonly signal: AbortSignal },
): Promise<ObjectKey> {
  const files = { ...(given ? before(run.activity, given) : await chainOf(store, run.key)), [run.activity]: [run.key] };
  for (let start = run.start; ; start = new Date(start.getTime() + 1000)) {
    const name = { provider: run.provider, start };
    const written = await unlessConflict(writePlan(store, name, { files, version }, { signal }));
    if (written !== undefined) return written;
  }
}

function before(activity: Activity, { files }: Plan): Plan['files'] {
  const earlier = ACTIVITIES.slice(0, ACTIVITIES.indexOf(activity));
  return Object.fromEntries(earlier.flatMap((name) => (files[name] === undefined ? [] : [[name, files[name]]])));
}

async function chainOf(store: ArtifactStore, key: ObjectKey): Promise<Plan['files']> {
  const steps = await readProvenanceChain(store, key);
  return Object.fromEntries(steps.map((step) => [parseAvroKey(step.key)!.activity, [step.key]]));
}
