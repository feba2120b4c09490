import { basename } from 'node:path';
import { z } from 'zod';
import { formatKey } from '../../../artifacts/artifact-key.ts';
import type { ArtifactStore } from '../../../artifacts/artifact-store.ts';
import { readContainer, readHeader } from '../../../artifacts/avro/container-reader.ts';
import { readJson } from '../../../artifacts/json-object.ts';
import { parseFileName } from '../../../artifacts/keys/avro-key.ts';
import { readProvenanceChain } from '../../../artifacts/provenance.ts';
import { formatBytes } from '../../../lib/format-bytes.ts';
import { formatCount } from '../../../lib/format-count.ts';
import { ARTIFACT_SETTINGS, viewArtifact, withArtifacts } from '../../artifact-output.ts';
import type { CliCommand } from '../../cli-command.ts';
import { findAvroFile, type NamedAvroFile } from '../../named-avro-file.ts';

interface Options {
  readonly count?: boolean;
}

const SUMMARY = z.record(z.string(), z.json());

export const artifactsShow: CliCommand<Options> = {
  group: 'artifacts',
  usage: 'show <file>',
  summary:
    'Shows an Avro file, by its key or the path of a copy: its header, how many records it has, what it was made of, and what its run did.',
  examples: [['artifacts show cdl.avro', 'where its records come from']],
  settings: ARTIFACT_SETTINGS,

  options(command) {
    command.option('--count', 'count the records by reading the whole file, not from the summary of its run');
  },

  async run(call) {
    const { terminal, args, options, stopped, workingDirectory } = call;
    await withArtifacts(call, async (store) => {
      const file = await findAvroFile(store, args[0]!, workingDirectory);
      const view = await viewWhole(store, file, { count: options.count === true, signal: stopped });
      await terminal.print(describe(view), view);
    });
  },
};

type View = Awaited<ReturnType<typeof viewWhole>>;

interface ViewOptions {
  readonly count: boolean;
  readonly signal: AbortSignal;
}

async function viewWhole(store: ArtifactStore, file: NamedAvroFile, { count, signal }: ViewOptions) {
  const body = await file.open(signal);
  const { codec, doc, metadata, schema } = await readHeader(body, file).finally(() => body.destroy());
  const { provenance, summary } = await besides(store, file);
  const written = typeof summary?.written === 'number' ? summary.written : undefined;
  const records = count ? await countRecords(file, signal) : written;
  return {
    ...factsOf(store, file),
    schema,
    codec,
    ...(doc !== undefined && { doc }),
    metadata: Object.fromEntries(metadata),
    ...(records !== undefined && { records }),
    provenance,
    ...(summary !== undefined && { summary }),
  };
}

interface Facts extends Partial<Omit<ReturnType<typeof viewArtifact>, 'schema'>> {
  readonly path: string;
  readonly length: number;
}

function factsOf(store: ArtifactStore, { artifact, name, length }: NamedAvroFile): Facts {
  if (artifact !== undefined) return viewArtifact(store, artifact);
  const named = parseFileName(basename(name));
  return { path: name, length, ...(named && { provider: named.provider, start: named.start.toISOString() }) };
}

/** The files beside a file of the store, such as its summary; none for a copy. */
async function besides(store: ArtifactStore, { artifact }: NamedAvroFile) {
  if (artifact === undefined) return { provenance: [], summary: undefined };
  const [chain, summary] = await Promise.all([
    readProvenanceChain(store, artifact.key),
    readJson(store, formatKey({ kind: 'summary', of: artifact.key }), SUMMARY),
  ]);
  return { provenance: chain.map(({ key, provenance }) => ({ file: key, ...provenance })), summary };
}

async function countRecords(file: NamedAvroFile, signal: AbortSignal): Promise<number> {
  let count = 0;
  for await (const { records } of readContainer(await file.open(signal), file)) count += records.length;
  return count;
}

function describe({ key, path, length, codec, doc, records, provenance, summary, ...view }: View): string {
  const known: readonly (readonly [string, string | undefined])[] = [
    ['Key', key],
    ['Path', path],
    ['Provider', view.provider],
    ['Activity', view.activity],
    ['Started', view.start],
  ];
  const rows: (readonly [string, string])[] = [
    ...known.flatMap(([title, text]) => (text === undefined ? [] : [[title, text] as const])),
    ['Schema', view.schema],
    ['Codec', codec],
    ['Doc', doc ?? '(none)'],
    ['Length', `${formatBytes(length)} (${formatCount(length)} bytes)`],
    ['Records', records === undefined ? '(there is no summary: --count reads the file)' : formatCount(records)],
    ...provenance.map((step, at) => ['Made of', describeStep(step, at)] as const),
    ...Object.entries(summary ?? {}).map(([name, value]) => [`Summary: ${name}`, textOf(value)] as const),
  ];
  const width = Math.max(...rows.map(([title]) => title.length));
  return rows.map(([title, text]) => `${title.padEnd(width)}  ${text}`).join('\n');
}

/** Describes a step of the chain of inputs, each of which the run before read; the first is the shown file. */
function describeStep({ generator, version }: View['provenance'][number], at: number): string {
  const made = generator === undefined ? '(unknown: its -prov.json does not exist)' : `${generator}, by ${version}`;
  return '  '.repeat(at) + made;
}

function textOf(value: unknown): string {
  return typeof value === 'object' ? JSON.stringify(value) : String(value);
}
