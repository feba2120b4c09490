import { createReadStream, statSync } from 'node:fs';
import { open } from 'node:fs/promises';
import { readContainer } from '../../../src/artifacts/avro/container-reader.ts';
import { encodeContainer } from '../../../src/artifacts/avro/container-writer.ts';
import type { AvroResult, AvroWork } from '../support/avro-work.ts';
import { peakMemory } from '../support/peak-memory.ts';
import { recordsWith } from '../support/record-documents.ts';

/** Writes an Avro file with records that are made on the way, or reads one. Prints an AvroResult. */
const { mode, file, documents, count, codec }: AvroWork = JSON.parse(process.argv[2]!);
const CHUNK = 1_048_576;

async function write(): Promise<void> {
  const records = recordsWith(documents, count);
  const handle = await open(file, 'w');
  let chunks: Uint8Array[] = [];
  let length = 0;
  let writing: Promise<unknown> = Promise.resolve();
  for await (const chunk of encodeContainer({ schema: 'OriginalRecord.v1', records, codec })) {
    chunks.push(chunk);
    length += chunk.length;
    if (length < CHUNK) continue;
    // One megabyte is written while the next one is made.
    await writing;
    writing = handle.writev(chunks);
    chunks = [];
    length = 0;
  }
  await writing;
  if (chunks.length > 0) await handle.writev(chunks);
  await handle.close();
}

async function read(): Promise<void> {
  let found = 0;
  let letters = 0;
  const bytes = createReadStream(file, { highWaterMark: CHUNK });
  for await (const block of readContainer(bytes, { schema: 'OriginalRecord.v1', name: file })) {
    for (const { document } of block.records) letters += document.length;
    found += block.records.length;
  }
  if (found !== count || letters < count) throw new Error(`${file} has ${found} records, not ${count}`);
}

const begun = performance.now();
await (mode === 'write' ? write() : read());
const seconds = (performance.now() - begun) / 1000;
const result: AvroResult = { seconds, length: statSync(file).size, memory: peakMemory(process.pid) };
console.log(JSON.stringify(result));
