import { runView } from '../../../api/activity-run-view.ts';
import type { ArtifactStore } from '../../../artifacts/artifact-store.ts';
import { requireProvider } from '../../../artifacts/keys/activity.ts';
import { openArtifacts } from '../../../artifacts/open-artifacts.ts';
import { softwareVersion } from '../../../config/version.ts';
import { TidemarkError } from '../../../core/errors.ts';
import { armFailpoint } from '../../../lib/failpoint.ts';
import { requireRunnable } from '../../../records/activities/activities.ts';
import { performRun, type RunParts } from '../../../records/activities/perform-run.ts';
import { type RunRequest, requireFitting } from '../../../records/activities/run-request.ts';
import { isStreamInput } from '../../../records/activities/stream-input.ts';
import { runText } from '../../../records/runs/activity-run.ts';
import type { StreamReader } from '../../../records/runs/stream-reader.ts';
import { openRoot } from '../../../sources/open-contents.ts';
import { keyOf } from '../../artifact-output.ts';
import type { Call, CliCommand } from '../../cli-command.ts';
import { CommandRecord } from '../../command-record.ts';
import { EXIT, type ExitCode } from '../../exit-code.ts';
import { startTime } from '../../options.ts';
import { startActivityBar } from '../../ui/activity-bar.ts';
import { withExistingApp } from '../../with-app.ts';
import { printOutcome } from './activity-outcome.ts';
import { givenOptions } from './activity-paths.ts';

export interface ActivityOptions extends Pick<RunRequest, 'from' | 'source' | 'input' | 'plan' | 'transform'> {
  readonly started?: Date;
  readonly writePlan?: true;
  readonly acceptDrop?: true;
  readonly queue?: true;
}

export const activityRun: CliCommand<ActivityOptions> = {
  group: 'activity',
  usage: 'run <activity> <provider>',
  summary:
    'Runs an activity (harvest, mapping, enrichment, indexing), and prints the key of the Avro file that it wrote.',
  examples: [
    ['activity run harvest cdl --from records.ndjson', 'makes an artifact of records'],
    ['activity run harvest lane --from stream:lane', 'makes an artifact of what was uploaded to its default stream'],
    ['activity run mapping cdl --transform mapping.json', 'maps the newest harvest'],
    ['activity run mapping cdl --queue', 'has a server do it'],
  ],
  settings: ['artifacts', 'dropLimit', 'dropWarning', 'recordTimeout', 's3Timeout'],

  options(command) {
    command
      .option(
        '--from <path>',
        'harvest: a file of NDJSON (-: standard input), a folder or s3:// of documents, or stream:ORG/STREAM',
      )
      .option('--source <url>', 'harvest: where the records came from, for the provenance (default: the path)')
      .option('--started <time>', 'when the run began, not now: such as 2017-02-09T10:44:28Z', startTime)
      .option('--input <key>', 'the Avro file to read (default: the newest of the activity before)')
      .option('--plan <key>', 'a plan that names the Avro file to read')
      .option(
        '--transform <name>',
        'a name, a mapping (.json), a sheet (.xsl) or a module (.js): see docs/artifacts.md',
      )
      .option('--write-plan', 'write a plan of this run and those before it, and print its key as a second line')
      .option('--accept-drop', 'publish also when there are far fewer records than in the run before')
      .option('--queue', 'add a job that does it in a server or a worker process, which must have the named files');
  },

  async run(call) {
    const { configuration } = call.loaded;
    armFailpoint(configuration.failpoint);
    const given = givenRequest(call);
    if (call.options.queue) return queue(call, given);
    if (!isStreamInput(given.from)) return runHere(call, given);
    return withExistingApp(call, ({ records: { streamReader } }) => runHere(call, given, streamReader));
  },
};

/** @param streams open the input of a harvest of a stream */
async function runHere(
  call: Call<ActivityOptions>,
  given: RunRequest,
  streams?: Pick<StreamReader, 'open'>,
): Promise<ExitCode> {
  const store = openArtifacts(call.loaded.configuration.artifacts);
  const bar = startActivityBar(call.terminal);
  const record = new CommandRecord(call);
  try {
    const request = withKeys(given, store);
    await record.begin(request);
    const performed = await performRun(request, {
      ...partsOf(call),
      store,
      openStream: streams && ((from, signal) => streams.open(from, signal)),
      onClaimed: (claim) => record.claimed(claim),
      onProgress: (now) => bar.update(now),
    });
    await record.end(performed);
    bar.end();
    await printOutcome(call, performed);
    const { published, failed } = performed.outcome.summary;
    return published && failed === 0 ? EXIT.done : EXIT.failed;
  } catch (error) {
    await record.fail(error);
    throw error;
  } finally {
    bar.end();
    await record.close();
    await store.close();
  }
}

/** Adds a job, which a server or a worker process runs. */
async function queue(call: Call<ActivityOptions>, request: RunRequest): Promise<ExitCode> {
  const { terminal } = call;
  if (request.from === '-') throw new TidemarkError('invalid', 'a job has no standard input: name a file with --from');
  const run = await withExistingApp(call, ({ records, artifacts }) =>
    records.runs.queue(withKeys(request, artifacts), { by: 'command' }),
  );
  await terminal.print(`Added the job ${run.job} of the run ${runText(run)}.`, runView(run));
  return EXIT.done;
}

function withKeys(request: RunRequest, store: ArtifactStore): RunRequest {
  const { input, plan } = request;
  return {
    ...request,
    ...(input !== undefined && { input: keyOf(store, input) }),
    ...(plan !== undefined && { plan: keyOf(store, plan) }),
  };
}

/** @throws TidemarkError `invalid` */
function givenRequest({ args, options, workingDirectory }: Call<ActivityOptions>): RunRequest {
  const activity = requireRunnable(args[0]!);
  const provider = args[1]!;
  requireProvider(provider);
  const start = options.started && { started: options.started.toISOString() };
  const request = { provider, activity, ...start, ...givenOptions(options, workingDirectory) };
  requireFitting(request);
  return request;
}

function partsOf({ loaded, terminal, workingDirectory, stopped }: Call): Omit<RunParts, 'store' | 'onProgress'> {
  return {
    configuration: loaded.configuration,
    openRoot,
    version: softwareVersion(),
    workingDirectory,
    standardInput() {
      if (process.stdin.isTTY) terminal.say('Reading records from the terminal, one JSON object a line; Ctrl-D ends.');
      return terminal.stdin;
    },
    signal: stopped,
    onHint: (text) => terminal.say(text),
  };
}
