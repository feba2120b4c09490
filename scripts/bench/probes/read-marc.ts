import { createReadStream } from 'node:fs';
import { readMarc21 } from '../../../src/streams/marc/read-marc21.ts';
import { peakMemory } from '../support/peak-memory.ts';

/** Reads and checks a file of MARC21. Prints how many records it has, and the most memory that it took, in MB. */
const { file }: { readonly file: string } = JSON.parse(process.argv[2]!);

let count = 0;
for await (const batch of readMarc21(createReadStream(file, { highWaterMark: 262_144 }))) {
  for (const read of batch) {
    if (read.kind === 'erratum') throw new Error(`${file}, byte ${read.offset}: ${read.reason}`);
    count++;
  }
}
console.log(JSON.stringify({ count, memory: peakMemory(process.pid) }));
