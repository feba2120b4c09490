import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { buffer } from 'node:stream/consumers';
import { gunzipSync } from 'node:zlib';
import type { DumpFile, StreamDump } from '../../src/records/dumps/stored-stream-dump.ts';
import type { StreamDumps } from '../../src/records/dumps/stream-dumps.ts';
import { readMarc21 } from '../../src/records/forms/marc/read-marc21.ts';
import { readMarcXml } from '../../src/records/forms/marc/read-marcxml.ts';
import { contentOf, isRecord, readAll } from './read-marc.ts';

/** Documents in MARC21 by id. */
export type Records = ReadonlyMap<string, Buffer>;

/** What the files of a dump have. */
export interface DumpContent {
  readonly records: Records;
  readonly deletions: readonly string[];
  readonly errata: readonly { readonly upload: number }[];
}

/** Reads all files of a dump, and checks that they are what the dump says, and that both formats have the same. */
export async function readDumpFiles(dump: StreamDump, dumps: Pick<StreamDumps, 'open'>): Promise<DumpContent> {
  const files = new Map<string, Buffer>();
  for (const file of dump.files) files.set(file.kind, await bytesOfFile(file, dumps));
  const marc21 = gunzipped(files.get('marc21'));
  const records = new Map((await recordsOf(marc21, readMarc21)).map((record) => [record.id, record.document]));
  const xml = gunzipped(files.get('marcxml'));
  const fromXml = xml.length === 0 ? [] : await recordsOf(xml, readMarcXml);
  assert.deepEqual(
    fromXml.map(({ id, content }) => [id, content]),
    (await recordsOf(marc21, readMarc21)).map(({ id, content }) => [id, content]),
  );
  assert.equal(records.size, dump.totals.records);
  const deletions = linesOf(files.get('deletes') ?? Buffer.alloc(0));
  assert.equal(deletions.length, dump.totals.deletions);
  const errata = linesOf(gunzipped(files.get('errata'))).map((line) => JSON.parse(line));
  assert.equal(errata.length, dump.totals.errata);
  return { records, deletions, errata };
}

/** The records of a client that has some, and takes a delta. */
export function withDelta(before: Records, { records, deletions }: DumpContent): Records {
  const after = new Map(before);
  for (const id of deletions) assert.ok(after.delete(id), `the deletion of ${id}, which is not there`);
  for (const [id, document] of records) after.set(id, document);
  return after;
}

async function bytesOfFile(file: DumpFile, dumps: Pick<StreamDumps, 'open'>): Promise<Buffer> {
  const bytes = await buffer(await dumps.open(file));
  assert.equal(bytes.length, file.length, file.name);
  assert.equal(createHash('sha256').update(bytes).digest('hex'), file.sha256, file.name);
  return bytes;
}

async function recordsOf(file: Buffer, read: typeof readMarc21) {
  return (await readAll(read, file)).map((one) => {
    assert.ok(isRecord(one), JSON.stringify(one));
    return { id: one.id, document: one.record.bytes, content: contentOf(one) };
  });
}

function gunzipped(bytes: Buffer | undefined): Buffer {
  return bytes === undefined ? Buffer.alloc(0) : gunzipSync(bytes);
}

function linesOf(bytes: Buffer): readonly string[] {
  return bytes.toString().split('\n').slice(0, -1);
}
