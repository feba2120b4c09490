import { randomBytes } from 'node:crypto';
import { text } from 'node:stream/consumers';
import type { ArtifactStore, ObjectKey } from '../../src/artifacts/artifact-store.ts';
import type { RecordOf, SchemaId } from '../../src/artifacts/avro/avro-schemas.ts';
import { readContainer, readHeader } from '../../src/artifacts/avro/container-reader.ts';
import type { RecordSource } from '../../src/records/activities/readers/record-source.ts';
import { type RunOptions, type RunOutcome, runActivity } from '../../src/records/activities/run-activity.ts';
import type { InputItem } from '../../src/records/input-item.ts';

export const HARVEST = {
  provider: 'cdl',
  activity: 'harvest',
  generator: 'https://example.org/oai',
  schema: 'OriginalRecord.v1',
  transform: undefined,
  limits: { stop: 0.3, warn: 0.15 },
  acceptDrop: false,
  version: '0.1.0+0123456789ab',
  signal: new AbortController().signal,
  onProgress() {},
} as const satisfies Partial<RunOptions>;

/** Runs a harvest of some items, unless something else is said. */
export function harvest(
  parts: Pick<RunOptions, 'store' | 'folder'> & Partial<RunOptions>,
  items: readonly InputItem[],
): Promise<RunOutcome> {
  return runActivity({ ...HARVEST, source: sourceOf(items), ...parts });
}

/** Items in batches of a hundred. */
export function sourceOf(items: readonly InputItem[]): RecordSource {
  return {
    total: { count: items.length, unit: 'files' },
    async *read() {
      for (let at = 0; at < items.length; at += 100) yield { items: items.slice(at, at + 100), done: at };
    },
  };
}

export function xmlRecord(id: string, document = `<record>${id}</record>`, line?: number): InputItem {
  return { kind: 'record', id, document, mimetype: 'application/xml', line };
}

export function xmlRecords(count: number): readonly InputItem[] {
  return Array.from({ length: count }, (_, number) => xmlRecord(`r${number}`, undefined, number + 1));
}

export async function readRecords<Id extends SchemaId>(
  store: ArtifactStore,
  key: ObjectKey,
  schema: Id,
): Promise<readonly RecordOf[Id][]> {
  const { body } = await store.get(key);
  const records: RecordOf[Id][] = [];
  for await (const block of readContainer(body, { schema, name: key })) records.push(...block.records);
  return records;
}

/** The note in the schema of a file. */
export async function docOf(store: ArtifactStore, key: ObjectKey): Promise<string | undefined> {
  const { body } = await store.get(key);
  const { doc } = await readHeader(body, { name: key });
  body.destroy();
  return doc;
}

export async function readTextOf(store: ArtifactStore, key: ObjectKey): Promise<string> {
  return text((await store.get(key)).body);
}

export async function readJsonOf(store: ArtifactStore, key: ObjectKey): Promise<Record<string, unknown>> {
  return JSON.parse(await readTextOf(store, key));
}

/** Everything that is kept, as keys. */
export async function keysOf(store: ArtifactStore, prefix = ''): Promise<readonly string[]> {
  const keys: string[] = [];
  for await (const batch of store.list(prefix)) keys.push(...batch.map(({ key }) => key));
  return keys;
}

/**
 * Records that hardly get smaller, one that comes twice, a deleted one and a bad one: a run of them takes every step
 * that there is.
 */
export function allKindsOfItems(count: number): readonly InputItem[] {
  const records = Array.from({ length: count }, (_, number) =>
    xmlRecord(`r${number}`, randomBytes(750).toString('hex')),
  );
  return [
    xmlRecord('r0'),
    { kind: 'deleted', id: 'gone' },
    { kind: 'bad', problem: { kind: 'no-id', message: 'it has no id' } },
    ...records,
  ];
}
