import { type Command, InvalidArgumentError } from 'commander';
import type { ArtifactStore, ObjectKey } from '../artifacts/artifact-store.ts';
import { isSchemaId, NAME_PREFIX, SCHEMA_IDS, type SchemaId } from '../artifacts/avro/avro-schemas.ts';
import type { FoundArtifact } from '../artifacts/find-artifacts.ts';
import { ACTIVITIES, type Activity, requireProvider } from '../artifacts/keys/activity.ts';
import { openArtifacts } from '../artifacts/open-artifacts.ts';
import { withoutSlash } from '../artifacts/plain-key.ts';
import type { SettingName } from '../config/settings.ts';
import type { Call } from './cli-command.ts';
import { oneOf } from './options.ts';
import type { Terminal } from './ui/terminal.ts';

/** The settings of every command that reads the artifact store. */
export const ARTIFACT_SETTINGS: readonly SettingName[] = ['artifacts', 's3Timeout'];

export interface FilterOptions {
  readonly provider?: string;
  readonly activity?: Activity;
  readonly schema?: SchemaId;
  readonly keys?: boolean;
}

export function addProviderOption(command: Command): Command {
  return command.option('--provider <provider>', 'of this provider only', (text: string) => {
    requireProvider(text);
    return text;
  });
}

export const parseActivity = oneOf(...ACTIVITIES);

export function addSchemaOption(command: Command): Command {
  return command.option('--schema <schema>', 'of this schema only, such as MAP.4_0.MAPRecord.v1', parseSchema);
}

/** A schema by its name in keys, or by its full name. */
export function parseSchema(text: string): SchemaId {
  const id = text.startsWith(NAME_PREFIX) ? text.slice(NAME_PREFIX.length) : text;
  if (isSchemaId(id)) return id;
  throw new InvalidArgumentError(`Use ${SCHEMA_IDS.join(' or ')}.`);
}

/**
 * Warns when a list has files of several schemas: a program that reads them as one table would apply the first schema
 * to all.
 */
export function warnOfMixedSchemas(terminal: Terminal, schemas: ReadonlySet<SchemaId>): void {
  if (schemas.size < 2) return;
  const names = [...schemas].join(' and ');
  terminal.say(`These are files of ${names}: name one with --schema for a list that is read as one table.`);
}

export function addKeysOption(command: Command): Command {
  return command.option('--keys', 'print keys, not paths as Spark takes them');
}

/** Opens the artifact store for a command, and closes it in any case. */
export async function withArtifacts<Result>(
  { loaded: { configuration } }: Pick<Call, 'loaded'>,
  use: (store: ArtifactStore) => Promise<Result>,
): Promise<Result> {
  const store = openArtifacts(configuration.artifacts);
  try {
    return await use(store);
  } finally {
    await store.close();
  }
}

/** Prints one line per artifact: a path, a key, or JSON. */
export async function printArtifacts(
  terminal: Terminal,
  store: ArtifactStore,
  { artifacts, keys }: { readonly artifacts: readonly FoundArtifact[]; readonly keys: boolean | undefined },
): Promise<void> {
  const lineOf = (artifact: FoundArtifact): string => {
    if (terminal.json) return JSON.stringify(viewArtifact(store, artifact));
    return keys ? artifact.key : store.pathOf(artifact.key);
  };
  await terminal.write(artifacts.map((artifact) => `${lineOf(artifact)}\n`).join(''));
}

/** The JSON view of an artifact. */
export function viewArtifact(store: ArtifactStore, artifact: FoundArtifact) {
  const { key, provider, activity, start, schema, length } = artifact;
  return { key, path: store.pathOf(key), provider, activity, start: start.toISOString(), schema, length };
}

/** Parses a key, with or without a leading slash, or a path of this store as these commands print it. */
export function keyOf(store: ArtifactStore, text: string): ObjectKey {
  const above = store.pathOf('');
  const s3 = text.replace(/^s3n?:/, 's3a:');
  return withoutSlash(s3.startsWith(above) ? s3.slice(above.length) : text);
}
