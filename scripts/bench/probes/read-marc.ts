import { createReadStream } from 'node:fs';
import { readMarc21 } from '../../../src/records/forms/marc/read-marc21.ts';
import { readMarcXml } from '../../../src/records/forms/marc/read-marcxml.ts';
import { peakMemory } from '../support/peak-memory.ts';

/** Reads and checks a file of MARC. Prints how many records it has, and the most memory that it took, in MB. */
const { file, format }: { readonly file: string; readonly format: 'marc21' | 'marcxml' } = JSON.parse(process.argv[2]!);

const read = format === 'marc21' ? readMarc21 : readMarcXml;
let count = 0;
for await (const batch of read(createReadStream(file, { highWaterMark: 262_144 }))) {
  for (const item of batch) {
    if (item.kind === 'erratum') throw new Error(`${file}, byte ${item.offset}: ${item.reason}`);
    count++;
  }
}
console.log(JSON.stringify({ count, memory: peakMemory(process.pid) }));
