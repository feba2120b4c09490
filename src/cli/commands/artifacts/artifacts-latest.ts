import { latestArtifact, latestOfAll } from '../../../artifacts/find-artifacts.ts';
import type { Activity } from '../../../artifacts/keys/activity.ts';
import {
  ARTIFACT_SETTINGS,
  addKeysOption,
  addProviderOption,
  addSchemaOption,
  type FilterOptions,
  parseActivity,
  printArtifacts,
  warnOfMixedSchemas,
  withArtifacts,
} from '../../artifact-output.ts';
import type { Call, CliCommand } from '../../cli-command.ts';
import { EXIT, type ExitCode } from '../../exit-code.ts';

export interface LatestCliOptions extends FilterOptions {
  readonly activity: Activity;
}

export const artifactsLatest: CliCommand<LatestCliOptions> = {
  group: 'artifacts',
  usage: 'latest',
  summary:
    'Prints the newest Avro file of an activity, of each provider or of one: a plain list of paths for Spark. Exit code 1 when there is none.',
  examples: [['artifacts latest --activity mapping', 'the newest file of each provider']],
  settings: ARTIFACT_SETTINGS,

  options(command) {
    command.requiredOption('--activity <activity>', 'such as mapping', parseActivity);
    addKeysOption(addSchemaOption(addProviderOption(command)));
  },

  run: (call) => tellLatest(call, undefined),
};

/** @param before selects the newest artifact that started then or earlier */
export async function tellLatest(call: Call<LatestCliOptions>, before: Date | undefined): Promise<ExitCode> {
  const { terminal, options } = call;
  const { provider, activity, schema, keys } = options;
  return withArtifacts(call, async (store) => {
    const artifacts =
      provider === undefined
        ? await latestOfAll(store, { activity, schema, before })
        : [await latestArtifact(store, { provider, activity, schema, before })].filter((found) => found !== undefined);
    await printArtifacts(terminal, store, { artifacts, keys });
    warnOfMixedSchemas(terminal, new Set(artifacts.map((artifact) => artifact.schema)));
    if (artifacts.length > 0) return EXIT.done;
    const of = provider === undefined ? '' : ` of ${provider}`;
    const then = before === undefined ? '' : ` from ${before.toISOString()} or before`;
    const as = schema === undefined ? '' : ` as ${schema}`;
    const message = `there is no ${activity}${of}${as}${then} in the artifact store ${store.name}`;
    terminal.fail({ exitCode: EXIT.failed, code: 'not-found', message, details: { activity, provider, schema } });
    return EXIT.failed;
  });
}
