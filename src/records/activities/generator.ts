import type { ArtifactStore, ObjectKey } from '../../artifacts/artifact-store.ts';
import { type FoundArtifact, latestArtifact } from '../../artifacts/find-artifacts.ts';
import type { Activity } from '../../artifacts/keys/activity.ts';
import { type Plan, readPlan } from '../../artifacts/plan.ts';
import { requireArtifact } from '../../artifacts/require-artifact.ts';
import { isTidemarkError, TidemarkError } from '../../core/errors.ts';
import { type DerivedActivity, RULES } from './activities.ts';

/** The given input of a run. Without either field, it is the newest file of the previous activity. */
interface GivenGenerator {
  /** The key of an Avro file. */
  readonly input?: string | undefined;
  /** The key of a plan, which names the file. */
  readonly plan?: string | undefined;
}

export interface Generator {
  /** Usually one; a plan may name several for an activity that wrote its records in parts. */
  readonly artifacts: readonly FoundArtifact[];
  /** Key for the provenance: that of the file; for several files, that of the plan that names them. */
  readonly key: ObjectKey;
  /** The files of the previous activities, for a new plan; only if a plan named them. */
  readonly plan: (Plan & { readonly key: ObjectKey }) | undefined;
  /** Hints for the user. */
  readonly hints: readonly string[];
}

interface Run {
  readonly provider: string;
  readonly activity: DerivedActivity;
}

/**
 * Finds the file that a run reads.
 * @throws TidemarkError `invalid` for a file that the activity cannot read, of another provider, or a plan without one;
 *   `not-found` for a file or a plan that does not exist
 */
export async function findGenerator(store: ArtifactStore, run: Run, given: GivenGenerator): Promise<Generator> {
  if (given.input !== undefined) return byKey(store, run, given.input);
  return given.plan === undefined ? newest(store, run) : byPlan(store, run, given.plan);
}

async function byKey(store: ArtifactStore, run: Run, text: string): Promise<Generator> {
  const artifact = await requireInput(store, run, { text, because: '' });
  return { artifacts: [artifact], key: artifact.key, plan: undefined, hints: [] };
}

async function byPlan(store: ArtifactStore, run: Run, text: string): Promise<Generator> {
  const plan = await readPlan(store, text);
  const wanted = RULES[run.activity].generators.flat();
  const activity = wanted.find((name) => plan.files[name] !== undefined);
  if (activity === undefined) {
    const has = Object.keys(plan.files).join(', ') || 'none';
    throw new TidemarkError(
      'invalid',
      `the plan ${plan.key} names no file of ${wanted.join(' or ')}, which ${run.activity} needs (it has: ${has})`,
      { plan: plan.key },
    );
  }
  const because = `, which the plan ${plan.key} names for ${activity}`;
  const artifacts: FoundArtifact[] = [];
  for (const key of plan.files[activity]!) artifacts.push(await requireInput(store, run, { text: key, because }));
  return { artifacts, key: artifacts.length === 1 ? artifacts[0]!.key : plan.key, plan, hints: [] };
}

async function newest(store: ArtifactStore, run: Run): Promise<Generator> {
  const { provider, activity } = run;
  const groups = RULES[activity].generators;
  for (const [at, group] of groups.entries()) {
    const artifact = await newestOf(store, provider, group);
    if (artifact === undefined) continue;
    requireFit(run, artifact, '');
    const skipped = await newestOf(store, provider, groups.slice(at + 1).flat());
    const hints = skipped !== undefined && skipped.start > artifact.start ? [newerHint(artifact, skipped)] : [];
    return { artifacts: [artifact], key: artifact.key, plan: undefined, hints };
  }
  const names = groups.flat().join(' or ');
  throw new TidemarkError(
    'not-found',
    `${provider} has no file of ${names} in ${store.name} that ${activity} could read: run one of them first, or name a file with --input`,
    { provider },
  );
}

function newerHint(taken: FoundArtifact, skipped: FoundArtifact): string {
  return `reading ${taken.key}; the ${skipped.activity} ${skipped.key} is newer, and no ${taken.activity} was made of it: name it with --input to read it`;
}

async function newestOf(
  store: ArtifactStore,
  provider: string,
  activities: readonly Activity[],
): Promise<FoundArtifact | undefined> {
  const found = await Promise.all(activities.map((activity) => latestArtifact(store, { provider, activity })));
  return found
    .filter((artifact) => artifact !== undefined)
    .reduce<FoundArtifact | undefined>(
      (best, one) => (best === undefined || one.start > best.start ? one : best),
      undefined,
    );
}

async function requireInput(
  store: ArtifactStore,
  run: Run,
  { text, because }: { readonly text: string; readonly because: string },
): Promise<FoundArtifact> {
  const artifact = await requireArtifact(store, text).catch((error: unknown) => {
    if (!isTidemarkError(error) || because === '') throw error;
    throw new TidemarkError(error.code, `${error.message}${because}`, error.details, error);
  });
  requireFit(run, artifact, because);
  return artifact;
}

function requireFit({ provider, activity }: Run, artifact: FoundArtifact, because: string): void {
  const { key, schema } = artifact;
  const named = because === '' ? key : `${key}${because},`;
  if (artifact.provider !== provider) {
    throw new TidemarkError('invalid', `${named} is a file of ${artifact.provider}, not of ${provider}`, {
      key,
    });
  }
  const { inputs } = RULES[activity];
  if (!inputs.includes(schema)) {
    throw new TidemarkError('invalid', `${named} holds ${schema}, and ${activity} reads ${inputs.join(' or ')}`, {
      key,
    });
  }
}
