import { join } from 'node:path';
import type { ArtifactStore, ObjectKey } from '../../artifacts/artifact-store.ts';
import type { Plan } from '../../artifacts/plan.ts';
import type { Configuration } from '../../config/configuration.ts';
import { TidemarkError } from '../../core/errors.ts';
import { makeFolder } from '../../lib/files/make-folder.ts';
import { TransformRunner } from '../transforms/transform-runner.ts';
import { type DerivedActivity, RULES } from './activities.ts';
import { findGenerator } from './generator.ts';
import { writePlanOf } from './new-plan.ts';
import { type InputParts, openInput } from './open-input.ts';
import { openSourceArtifacts } from './readers/read-artifact.ts';
import type { RecordSource } from './readers/record-source.ts';
import { type RunOptions, type RunOutcome, runActivity } from './run-activity.ts';
import { type RunRequest, requireFitting } from './run-request.ts';

export interface RunParts extends InputParts, Pick<RunOptions, 'onClaimed' | 'onProgress'> {
  readonly store: ArtifactStore;
  readonly configuration: InputParts['configuration'] &
    Pick<Configuration, 'dropLimit' | 'dropWarning' | 'recordTimeoutMs'>;
  /** Version of the software. */
  readonly version: string;
  /** Called with hints for the user. */
  onHint(text: string): void;
}

export interface PerformedRun {
  readonly outcome: RunOutcome;
  /** The key of the plan that was written. */
  readonly plan: ObjectKey | undefined;
}

/** The options of a run that depend on its activity. */
type Work = Pick<RunOptions, 'source' | 'generator' | 'schema' | 'transform'> & { readonly plan?: Plan | undefined };

/**
 * Opens the input and the transform of a run, runs it, and writes a plan if one is wanted.
 * @throws TidemarkError `invalid` for options that do not fit, as `runActivity`
 */
export async function performRun(request: RunRequest, parts: RunParts): Promise<PerformedRun> {
  requireFitting(request);
  const { activity, provider, started } = request;
  const { store, configuration, version, signal } = parts;
  let transform: TransformRunner | undefined;
  let source: RecordSource | undefined;
  try {
    if (activity !== 'harvest') transform = await openTransform({ ...request, activity }, parts);
    const { plan: given, ...work } =
      activity === 'harvest' || transform === undefined
        ? await harvestOf(request, parts)
        : await derivedOf({ ...request, activity }, parts, transform);
    source = work.source;
    // Before the folder of the spool, whose parents get the default mode.
    makeFolder(configuration.dataFolder);
    const outcome = await runActivity({
      store,
      provider,
      activity,
      ...work,
      start: started === undefined ? undefined : new Date(started),
      limits: { stop: configuration.dropLimit, warn: configuration.dropWarning },
      acceptDrop: request.acceptDrop === true,
      folder: join(configuration.dataFolder, 'spool'),
      version,
      signal,
      onClaimed: parts.onClaimed,
      onProgress: parts.onProgress,
    });
    return { outcome, plan: request.writePlan && (await planOf(parts, outcome, given)) };
  } finally {
    source?.close?.();
    transform?.close();
  }
}

type DerivedRequest = RunRequest & { readonly activity: DerivedActivity };

function openTransform({ activity, transform }: DerivedRequest, parts: RunParts): Promise<TransformRunner> {
  return TransformRunner.open({
    text: transform ?? RULES[activity].transform,
    folder: parts.workingDirectory,
    recordTimeoutMs: parts.configuration.recordTimeoutMs,
    signal: parts.signal,
  });
}

/** Writes the plan of a run that published something. */
async function planOf(
  { store, version, signal }: RunParts,
  { start, summary }: RunOutcome,
  given: Plan | undefined,
): Promise<ObjectKey | undefined> {
  return summary.published ? writePlanOf(store, { ...summary, start }, { given, version, signal }) : undefined;
}

async function harvestOf({ from = '-', source }: RunRequest, parts: RunParts): Promise<Work> {
  const opened = await openInput(from, parts);
  return { source: opened.source, generator: source ?? opened.url, schema: 'OriginalRecord.v1', transform: undefined };
}

async function derivedOf(
  { activity, provider, input, plan: named }: DerivedRequest,
  { store, signal, onHint }: RunParts,
  transform: TransformRunner,
): Promise<Work> {
  const { outputs } = RULES[activity];
  const schema = transform.schema ?? outputs[0]!;
  if (!outputs.includes(schema)) {
    const can = outputs.join(' or ');
    throw new TidemarkError('invalid', `${transform.name} makes ${schema}, and ${activity} writes ${can}`, {
      transform: transform.name,
    });
  }
  const found = await findGenerator(store, { activity, provider }, { input, plan: named });
  const { artifacts, key, plan, hints } = found;
  for (const hint of hints) onHint(hint);
  return { source: openSourceArtifacts(store, artifacts, signal), generator: key, schema, transform, plan };
}
