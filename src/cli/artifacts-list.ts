import { type FoundArtifact, listArtifacts } from '../artifacts/find-artifacts.ts';
import { SCHEMA_IDS } from '../avro/schemas.ts';
import {
  ARTIFACT_SETTINGS,
  addKeysOption,
  addProviderOption,
  type FilterOptions,
  parseActivity,
  printArtifacts,
  withArtifacts,
} from './artifact-output.ts';
import type { CliCommand } from './cli-command.ts';
import { EXIT } from './exit-code.ts';
import { oneOf } from './options.ts';

interface Options extends FilterOptions {
  readonly schema?: FoundArtifact['schema'];
}

const BATCH = 500;

export const artifactsList: CliCommand<Options> = {
  group: 'artifacts',
  usage: 'list',
  summary: 'Lists every complete Avro file, in the order of the keys.',
  settings: ARTIFACT_SETTINGS,

  options(command) {
    addProviderOption(command).option('--activity <activity>', 'of this activity only', parseActivity);
    addKeysOption(command.option('--schema <schema>', 'of this schema only', oneOf(...SCHEMA_IDS)));
  },

  async run(call) {
    const { terminal, stopped, options } = call;
    const { keys } = options;
    await withArtifacts(call, async (store) => {
      let artifacts: FoundArtifact[] = [];
      for await (const artifact of listArtifacts(store, options)) {
        stopped.throwIfAborted();
        artifacts.push(artifact);
        if (artifacts.length < BATCH) continue;
        await printArtifacts(terminal, store, { artifacts, keys });
        artifacts = [];
      }
      await printArtifacts(terminal, store, { artifacts, keys });
    });
    return EXIT.done;
  },
};
