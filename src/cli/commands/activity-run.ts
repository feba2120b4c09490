import { stat } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { addAbortSignal } from 'node:stream';
import { pathToFileURL } from 'node:url';
import type { ArtifactStore, ObjectKey } from '../../artifacts/artifact-store.ts';
import { requireProvider } from '../../artifacts/keys/activity.ts';
import { openArtifacts } from '../../artifacts/open-artifacts.ts';
import type { Plan } from '../../artifacts/plan.ts';
import { softwareVersion } from '../../config/version.ts';
import { TidemarkError } from '../../core/errors.ts';
import { armFailpoint } from '../../lib/failpoint.ts';
import { makeFolder } from '../../lib/files/make-folder.ts';
import { isS3 } from '../../lib/s3/s3-location.ts';
import { reasonOf } from '../../lib/system-error.ts';
import { type DerivedActivity, RULES, requireRunnable } from '../../records/activities/activities.ts';
import { findGenerator } from '../../records/activities/generator.ts';
import { writePlanOf } from '../../records/activities/new-plan.ts';
import { openSourceArtifacts } from '../../records/activities/readers/read-artifact.ts';
import { openFolder } from '../../records/activities/readers/read-folder.ts';
import { openNdjsonFile, openNdjsonStream } from '../../records/activities/readers/read-ndjson.ts';
import type { RecordSource } from '../../records/activities/readers/record-source.ts';
import { type RunOptions, type RunOutcome, runActivity } from '../../records/activities/run-activity.ts';
import { TransformRunner } from '../../records/transforms/transform-runner.ts';
import { openRoot } from '../../sources/open-contents.ts';
import { keyOf } from '../artifact-output.ts';
import type { Call, CliCommand } from '../cli-command.ts';
import { EXIT } from '../exit-code.ts';
import { startTime } from '../options.ts';
import { startActivityBar } from '../ui/activity-bar.ts';
import { printOutcome } from './activity-outcome.ts';

export interface ActivityOptions {
  readonly from?: string;
  readonly source?: string;
  readonly started?: Date;
  readonly input?: string;
  readonly plan?: string;
  readonly writePlan?: boolean;
  readonly transform?: string;
  readonly acceptDrop?: boolean;
}

/** The options of a run that depend on its activity. */
type Work = Pick<RunOptions, 'source' | 'generator' | 'schema' | 'transform'> & { readonly plan?: Plan | undefined };
type RunCall = Call<ActivityOptions> & { readonly store: ArtifactStore };

export const activityRun: CliCommand<ActivityOptions> = {
  group: 'activity',
  usage: 'run <activity> <provider>',
  summary:
    'Runs an activity (harvest, mapping, enrichment, indexing), and prints the key of the Avro file that it wrote.',
  examples: [
    ['activity run harvest cdl --from records.ndjson', 'makes an artifact of records'],
    ['activity run mapping cdl --transform mapping.json', 'maps the newest harvest'],
  ],
  settings: ['artifacts', 'dropLimit', 'dropWarning', 'recordTimeout', 's3Timeout'],

  options(command) {
    command
      .option('--from <path>', 'harvest: a file of NDJSON (- for standard input), or a folder or s3:// of documents')
      .option('--source <url>', 'harvest: where the records came from, for the provenance (default: the path)')
      .option('--started <time>', 'when the run began, not now: such as 2017-02-09T10:44:28Z', startTime)
      .option('--input <key>', 'the Avro file to read (default: the newest of the activity before)')
      .option('--plan <key>', 'a plan that names the Avro file to read')
      .option('--transform <name>', 'a name, a mapping (.json) or a module (.js): see docs/artifacts.md')
      .option('--write-plan', 'write a plan of this run and those before it, and print its key as a second line')
      .option('--accept-drop', 'publish also when there are far fewer records than in the run before');
  },

  async run(call) {
    const { configuration } = call.loaded;
    armFailpoint(configuration.failpoint);
    const activity = requireRunnable(call.args[0]!);
    const provider = call.args[1]!;
    requireProvider(provider);
    requireOptionsOf(activity, call.options);
    const store = openArtifacts(configuration.artifacts);
    const bar = startActivityBar(call.terminal);
    let transform: TransformRunner | undefined;
    try {
      if (activity !== 'harvest') transform = await openTransform(call, activity);
      const { plan: given, ...work } =
        activity === 'harvest' || transform === undefined
          ? await harvestOf(call)
          : await derivedOf({ ...call, store }, { activity, provider, transform });
      // Before the folder of the spool, whose parents get the default mode.
      makeFolder(configuration.dataFolder);
      const outcome = await runActivity({
        store,
        provider,
        activity,
        ...work,
        start: call.options.started,
        limits: { stop: configuration.dropLimit, warn: configuration.dropWarning },
        acceptDrop: call.options.acceptDrop === true,
        folder: join(configuration.dataFolder, 'spool'),
        version: softwareVersion(),
        signal: call.stopped,
        onProgress: (progress) => bar.update(progress),
      });
      const plan = call.options.writePlan ? await planOf({ ...call, store }, outcome, given) : undefined;
      bar.end();
      await printOutcome(call, outcome, plan);
      return outcome.summary.published && outcome.summary.failed === 0 ? EXIT.done : EXIT.failed;
    } finally {
      bar.end();
      transform?.close();
      await store.close();
    }
  },
};

function openTransform(
  { options, workingDirectory, stopped, loaded }: Call<ActivityOptions>,
  activity: DerivedActivity,
): Promise<TransformRunner> {
  return TransformRunner.open({
    text: options.transform ?? RULES[activity].transform,
    folder: workingDirectory,
    recordTimeoutMs: loaded.configuration.recordTimeoutMs,
    signal: stopped,
  });
}

/** Writes the plan of a run that published something. */
async function planOf(
  { store, stopped }: RunCall,
  { start, summary }: RunOutcome,
  given: Plan | undefined,
): Promise<ObjectKey | undefined> {
  if (!summary.published) return undefined;
  return writePlanOf(store, { ...summary, start }, { given, version: softwareVersion(), signal: stopped });
}

/** @throws TidemarkError `invalid` for options of other activities */
function requireOptionsOf(activity: string, options: ActivityOptions): void {
  const { from, source, input, plan, transform } = options;
  const isHarvest = activity === 'harvest';
  if (isHarvest && from === undefined) {
    throw new TidemarkError('invalid', 'a harvest needs --from: a file of NDJSON, - for standard input, or a folder');
  }
  const foreign = isHarvest ? { input, plan, transform } : { from, source };
  const wrong = Object.entries(foreign).find(([, value]) => value !== undefined)?.[0];
  if (wrong !== undefined) {
    const reads = isHarvest ? 'reads what --from names' : 'reads an Avro file: use --input or --plan';
    throw new TidemarkError('invalid', `--${wrong} is not for ${activity}, which ${reads}`, { option: wrong });
  }
  if (input !== undefined && plan !== undefined) {
    throw new TidemarkError('invalid', 'use --input or --plan: both name the file to read');
  }
}

async function harvestOf(call: Call<ActivityOptions>): Promise<Work> {
  const { from = '-', source } = call.options;
  const opened = await openHarvest(from, call);
  return { source: opened.source, generator: source ?? opened.url, schema: 'OriginalRecord.v1', transform: undefined };
}

async function openHarvest(from: string, call: Call): Promise<{ source: RecordSource; url: string }> {
  const { terminal, stopped, workingDirectory, loaded } = call;
  if (from === '-') {
    if (process.stdin.isTTY) terminal.say('Reading records from the terminal, one JSON object a line; Ctrl-D ends.');
    return { source: openNdjsonStream(addAbortSignal(stopped, terminal.stdin)), url: 'stdin:' };
  }
  const { s3TimeoutMs: timeoutMs, s3PollIntervalMs: pollIntervalMs, dataFolder } = loaded.configuration;
  if (isS3(from)) {
    const s3 = { timeoutMs, pollIntervalMs };
    const location = { root: from, exclude: [], s3, scratchFolder: join(dataFolder, 'spool') };
    return { source: openFolder(openRoot(location)), url: from };
  }
  const path = resolve(workingDirectory, from);
  const url = pathToFileURL(path).href;
  const stats = await stat(path).catch((error: Error) => {
    throw new TidemarkError('invalid', `${path} cannot be read: ${reasonOf(error)}`, { path });
  });
  if (stats.isDirectory()) return { source: openFolder(openRoot({ root: path, exclude: [] })), url };
  return { source: await openNdjsonFile(path, stopped), url };
}

async function derivedOf(
  { store, options, terminal, stopped }: RunCall,
  run: { readonly activity: DerivedActivity; readonly provider: string; readonly transform: TransformRunner },
): Promise<Work> {
  const { transform } = run;
  const { outputs } = RULES[run.activity];
  const schema = transform.schema ?? outputs[0]!;
  if (!outputs.includes(schema)) {
    const can = outputs.join(' or ');
    throw new TidemarkError('invalid', `${transform.name} makes ${schema}, and ${run.activity} writes ${can}`, {
      transform: transform.name,
    });
  }
  const { artifacts, key, plan, hints } = await findGenerator(store, run, {
    input: options.input && keyOf(store, options.input),
    plan: options.plan && keyOf(store, options.plan),
  });
  for (const hint of hints) terminal.say(hint);
  return { source: openSourceArtifacts(store, artifacts, stopped), generator: key, schema, transform, plan };
}
