import { createReadStream } from 'node:fs';
import { readMarc21 } from '../../../src/records/forms/marc/read-marc21.ts';
import { MarcXmlWriter } from '../../../src/records/forms/marc/write-marcxml.ts';
import { peakMemory } from '../support/peak-memory.ts';

/**
 * Reads a file of MARC21, and writes its records as MARCXML into memory. Prints how many records it has, microseconds
 * of processor time that writing one took, and the most memory that the process took, in MB.
 */
const { file }: { readonly file: string } = JSON.parse(process.argv[2]!);
const CHUNK_BYTES = 262_144;

let count = 0;
let writing = 0;
const writer = new MarcXmlWriter();
for await (const batch of readMarc21(createReadStream(file, { highWaterMark: CHUNK_BYTES }))) {
  const before = process.threadCpuUsage();
  for (const read of batch) {
    if (read.kind === 'erratum') throw new Error(`${file}, byte ${read.offset}: ${read.reason}`);
    writer.add(read.record);
    if (writer.size > CHUNK_BYTES) writer.take();
    count++;
  }
  const { user, system } = process.threadCpuUsage(before);
  writing += user + system;
}
console.log(JSON.stringify({ count, microseconds: writing / count, memory: peakMemory(process.pid) }));
