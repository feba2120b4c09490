import type { SchemaId } from '../../../artifacts/avro/avro-schemas.ts';
import { COMPANION, type FoundArtifact, listArtifacts } from '../../../artifacts/find-artifacts.ts';
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
import type { CliCommand } from '../../cli-command.ts';
import { EXIT } from '../../exit-code.ts';

const BATCH = 500;

export const artifactsList: CliCommand<FilterOptions> = {
  group: 'artifacts',
  usage: 'list',
  summary:
    'Lists every complete Avro file, in the order of the keys; those of deleted records only with --schema DeletedRecord.v1.',
  examples: [['artifacts list --provider cdl', 'all files of a provider']],
  settings: ARTIFACT_SETTINGS,

  options(command) {
    addProviderOption(command).option('--activity <activity>', 'of this activity only', parseActivity);
    addKeysOption(addSchemaOption(command));
  },

  async run(call) {
    const { terminal, stopped, options } = call;
    const { activity, schema, keys } = options;
    const schemas = new Set<SchemaId>();
    await withArtifacts(call, async (store) => {
      let artifacts: FoundArtifact[] = [];
      for await (const artifact of listArtifacts(store, options)) {
        stopped.throwIfAborted();
        if (artifact.schema === COMPANION && schema !== COMPANION) continue;
        schemas.add(artifact.schema);
        artifacts.push(artifact);
        if (artifacts.length < BATCH) continue;
        await printArtifacts(terminal, store, { artifacts, keys });
        artifacts = [];
      }
      await printArtifacts(terminal, store, { artifacts, keys });
      if (schemas.size === 0) terminal.say('There is no such artifact.');
      // The files of several activities cannot be read as one table.
      if (activity !== undefined) warnOfMixedSchemas(terminal, schemas);
    });
    return EXIT.done;
  },
};
