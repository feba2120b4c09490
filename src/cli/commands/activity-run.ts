import { requireProvider } from '../../artifacts/keys/activity.ts';
import { openArtifacts } from '../../artifacts/open-artifacts.ts';
import { softwareVersion } from '../../config/version.ts';
import { armFailpoint } from '../../lib/failpoint.ts';
import { requireRunnable } from '../../records/activities/activities.ts';
import { performRun, type RunParts } from '../../records/activities/perform-run.ts';
import { type RunRequest, requireFitting } from '../../records/activities/run-request.ts';
import { openRoot } from '../../sources/open-contents.ts';
import { keyOf } from '../artifact-output.ts';
import type { Call, CliCommand } from '../cli-command.ts';
import { EXIT } from '../exit-code.ts';
import { startTime } from '../options.ts';
import { startActivityBar } from '../ui/activity-bar.ts';
import { printOutcome } from './activity-outcome.ts';

export interface ActivityOptions extends Pick<RunRequest, 'from' | 'source' | 'input' | 'plan' | 'transform'> {
  readonly started?: Date;
  readonly writePlan?: true;
  readonly acceptDrop?: true;
}

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
    const given = givenRequest(call);
    const store = openArtifacts(configuration.artifacts);
    const bar = startActivityBar(call.terminal);
    try {
      const { input, plan } = given;
      const request = { ...given, input: input && keyOf(store, input), plan: plan && keyOf(store, plan) };
      const performed = await performRun(request, { ...partsOf(call), store, onProgress: (now) => bar.update(now) });
      bar.end();
      await printOutcome(call, performed);
      const { published, failed } = performed.outcome.summary;
      return published && failed === 0 ? EXIT.done : EXIT.failed;
    } finally {
      bar.end();
      await store.close();
    }
  },
};

/** @throws TidemarkError `invalid` */
function givenRequest({ args, options }: Call<ActivityOptions>): RunRequest {
  const activity = requireRunnable(args[0]!);
  const provider = args[1]!;
  requireProvider(provider);
  const { from, source, started, input, plan, transform, writePlan, acceptDrop } = options;
  const start = started?.toISOString();
  const request = { provider, activity, from, source, started: start, input, plan, transform, writePlan, acceptDrop };
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
