import { z } from 'zod';
import { summaryKey } from '../artifacts/artifact-key.ts';
import type { ArtifactStore } from '../artifacts/artifact-store.ts';
import type { FoundArtifact } from '../artifacts/find-artifacts.ts';
import { readJson } from '../artifacts/json-object.ts';
import { readProvenanceChain } from '../artifacts/provenance.ts';
import { requireArtifact } from '../artifacts/require-artifact.ts';
import { readBlocks, readHeader } from '../avro/container-reader.ts';
import { ARTIFACT_SETTINGS, keyOf, viewArtifact, withArtifacts } from './artifact-output.ts';
import type { CliCommand } from './cli-command.ts';
import { EXIT } from './exit-code.ts';
import { formatSize } from './format-size.ts';
import { formatCount } from './table.ts';

interface Options {
  readonly count?: boolean;
}

const SUMMARY = z.record(z.string(), z.json());

export const artifactsShow: CliCommand<Options> = {
  group: 'artifacts',
  usage: 'show <key>',
  summary: 'Shows an Avro file: its header, how many records it has, what it was made of, and what its run did.',
  settings: ARTIFACT_SETTINGS,

  options(command) {
    command.option('--count', 'count the records by reading the whole file, not from the summary of its run');
  },

  async run(call) {
    const { terminal, args, options, stopped } = call;
    await withArtifacts(call, async (store) => {
      const artifact = await requireArtifact(store, keyOf(store, args[0]!));
      const view = await viewWhole(store, artifact, { count: options.count === true, signal: stopped });
      await terminal.print(describe(view), view);
    });
    return EXIT.done;
  },
};

type View = Awaited<ReturnType<typeof viewWhole>>;

interface ViewOptions {
  readonly count: boolean;
  readonly signal: AbortSignal;
}

async function viewWhole(store: ArtifactStore, artifact: FoundArtifact, { count, signal }: ViewOptions) {
  const { key, schema } = artifact;
  const { body } = await store.get(key, { signal });
  const [{ codec, doc, metadata }, provenance, summary] = await Promise.all([
    readHeader(body, { schema, name: key }).finally(() => body.destroy()),
    readProvenanceChain(store, key),
    readJson(store, summaryKey(key), SUMMARY),
  ]);
  const told = typeof summary?.written === 'number' ? summary.written : undefined;
  const records = count ? await countRecords(store, artifact, signal) : told;
  return {
    ...viewArtifact(store, artifact),
    codec,
    ...(doc !== undefined && { doc }),
    metadata: Object.fromEntries(metadata),
    ...(records !== undefined && { records }),
    provenance: provenance.map(({ key: file, provenance: made }) => ({ file, ...made })),
    ...(summary !== undefined && { summary }),
  };
}

async function countRecords(
  store: ArtifactStore,
  { key, schema }: FoundArtifact,
  signal: AbortSignal,
): Promise<number> {
  const { body } = await store.get(key, { signal });
  let records = 0;
  for await (const { place } of readBlocks(body, { schema, name: key })) records += place.records;
  return records;
}

function describe({ key, path, length, codec, doc, records, provenance, summary, ...view }: View): string {
  const rows: [string, string][] = [
    ['Key', key],
    ['Path', path],
    ['Provider', view.provider],
    ['Activity', view.activity],
    ['Started', view.start],
    ['Schema', view.schema],
    ['Codec', codec],
    ['Doc', doc ?? '(none)'],
    ['Length', `${formatSize(length)} (${formatCount(length)} bytes)`],
    ['Records', records === undefined ? '(there is no summary: --count reads the file)' : formatCount(records)],
    ...provenance.map((step, at): [string, string] => ['Made of', describeStep(step, at)]),
    ...Object.entries(summary ?? {}).map(([name, value]): [string, string] => [`Summary: ${name}`, textOf(value)]),
  ];
  const width = Math.max(...rows.map(([title]) => title.length));
  return rows.map(([title, text]) => `${title.padEnd(width)}  ${text}`).join('\n');
}

/** What the file before was made of: the first is the one that is shown. */
function describeStep({ generator, version }: View['provenance'][number], at: number): string {
  const made = generator === undefined ? '(unknown: its -prov.json is not there)' : `${generator}, by ${version}`;
  return '  '.repeat(at) + made;
}

function textOf(value: unknown): string {
  return typeof value === 'object' ? JSON.stringify(value) : String(value);
}
