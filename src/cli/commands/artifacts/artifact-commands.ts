import type { RecordOf, SchemaId } from '../../../artifacts/avro/avro-schemas.ts';
import { readContainer } from '../../../artifacts/avro/container-reader.ts';
import {
  COMPANION,
  type FoundArtifact,
  latestArtifact,
  latestOfAll,
  listArtifacts,
} from '../../../artifacts/find-artifacts.ts';
import type { Activity } from '../../../artifacts/keys/activity.ts';
import { parseSnapshotTime } from '../../../artifacts/snapshot-time.ts';
import { type ArtifactReport, describeDamaged } from '../../../backup/verify/check-artifacts.ts';
import { formatBytes } from '../../../lib/format-bytes.ts';
import { formatCount } from '../../../lib/format-count.ts';
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
import { findAvroFile } from '../../named-avro-file.ts';
import { wholeNumber } from '../../options.ts';
import { startCountBar } from '../../ui/count-bar.ts';
import { printable, printableLine } from '../../ui/printable.ts';
import { plural } from '../../ui/table.ts';
import { withExistingApp } from '../../with-app.ts';

interface LatestCliOptions extends FilterOptions {
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
async function tellLatest(call: Call<LatestCliOptions>, before: Date | undefined): Promise<ExitCode> {
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

export const artifactsAt: CliCommand<LatestCliOptions> = {
  group: 'artifacts',
  usage: 'at <time>',
  summary:
    'Prints the Avro file of an activity that was the newest at a time: 20170209_104428, 2017-02-09T10:44:28Z, or a day to its end. Exit code 1 when there is none.',
  examples: [['artifacts at 2026-01-31T12:00:00Z --activity mapping', 'the files that were the newest then']],
  settings: ARTIFACT_SETTINGS,

  options(command) {
    artifactsLatest.options?.(command);
  },

  async run(call) {
    return tellLatest(call, parseSnapshotTime(call.args[0]!));
  },
};

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
  },
};

interface Options {
  readonly limit?: number;
}

type AnyRecord = RecordOf[SchemaId];

export const artifactsCat: CliCommand<Options> = {
  group: 'artifacts',
  usage: 'cat <file>',
  summary:
    'Prints the records of an Avro file, by its key or the path of a copy: for people, or with --json one on a line.',
  examples: [['artifacts cat cdl.avro --limit 10', 'prints ten records as JSON']],
  settings: ARTIFACT_SETTINGS,

  options(command) {
    command.option('--limit <n>', 'stop after so many', wholeNumber(1, 1_000_000_000));
  },

  async run(call) {
    const { terminal, args, options, stopped, workingDirectory } = call;
    const format = terminal.json ? toJsonLine : toText;
    await withArtifacts(call, async (store) => {
      const { name, schema, open } = await findAvroFile(store, args[0]!, workingDirectory);
      const body = await open(stopped);
      let left = options.limit ?? Number.POSITIVE_INFINITY;
      for await (const { records } of readContainer(body, { schema, name })) {
        await terminal.write(records.slice(0, left).map(format).join(''));
        left -= records.length;
        if (left <= 0) break;
      }
    });
  },
};

/** Formats a record as a harvest reads it, if it has a document. */
function toJsonLine(record: AnyRecord): string {
  return `${JSON.stringify(record, (_, value) => (typeof value === 'bigint' ? String(value) : value))}\n`;
}

function toText(record: AnyRecord): string {
  if (!('id' in record) || !('document' in record)) return toJsonLine(record);
  const type = 'mimetype' in record ? ` (${record.mimetype})` : '';
  return printable(`== ${record.id}${type}\n${record.document}${record.document.endsWith('\n') ? '' : '\n'}`);
}

/** Damaged artifacts that are printed; their number is that of all. */
const MOST_PRINTED = 1_000;

export const artifactsVerify: CliCommand = {
  group: 'artifacts',
  usage: 'verify',
  summary:
    'Reads all stored artifacts, also packages of dumps, uploads and kept versions, and compares them with their digests; exit code 1 when one is damaged.',
  examples: [['artifacts verify', 'names each damaged artifact, and what to do; it is not served any more']],
  settings: [...ARTIFACT_SETTINGS, 'verifyArtifactsRate'],

  async run(call) {
    const { terminal, stopped: signal } = call;
    const bar = startCountBar(terminal);
    const report = await withExistingApp(call, (app) =>
      app.backup.verifyArtifacts({
        signal,
        onProgress: (done, total) => bar.update('Comparing artifacts', done, total),
      }),
    ).finally(() => bar.end());
    const { damaged, totalDamaged, ...counts } = report;
    const first = damaged.slice(0, MOST_PRINTED);
    const isWhole = totalDamaged === 0;
    await terminal.print(describe(report), { whole: isWhole, ...counts, damaged: { total: totalDamaged, first } });
    return isWhole ? EXIT.done : EXIT.failed;
  },
};

function describe({ artifacts, bytes, withoutDigest, damaged, totalDamaged }: ArtifactReport): string {
  const lines = damaged.slice(0, MOST_PRINTED).map((one) => printableLine(describeDamaged(one)));
  if (totalDamaged > lines.length) lines.push(`… and ${formatCount(totalDamaged - lines.length)} more`);
  const unknown = withoutDigest === 0 ? '' : `; of ${formatCount(withoutDigest)} no digest is known`;
  const found = totalDamaged === 0 ? 'no damage' : `${formatCount(totalDamaged)} damaged`;
  lines.push(`${found} in ${plural(artifacts, 'artifact')}, ${formatBytes(bytes)}${unknown}.`);
  return lines.join('\n');
}
