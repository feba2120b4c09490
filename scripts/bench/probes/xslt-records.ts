import { readFileSync } from 'node:fs';
import { openXmlTransform } from '../../../src/records/transforms/xml-transform.ts';

// Transforms each line of a file by a sheet, as a harvest does. Prints the processor time, without its start.
const BATCH = 500;

const [, , file, sheet] = process.argv;
const records = readFileSync(file!, 'utf8').trimEnd().split('\n');
const { signal } = new AbortController();
const transform = await openXmlTransform({ text: sheet!, folder: '/', recordTimeoutMs: 10_000, signal });
// Its thread has started then.
await transform.transform([{ id: '0', xml: records[0]! }]);
const before = process.cpuUsage();
let length = 0;
for (let at = 0; at < records.length; at += BATCH) {
  const batch = records.slice(at, at + BATCH).map((xml, number) => ({ id: String(at + number), xml }));
  for (const result of await transform.transform(batch)) {
    if (!('xml' in result)) throw new Error(result.problem);
    length += Buffer.byteLength(result.xml);
  }
}
const { user, system } = process.cpuUsage(before);
transform.close();
process.stdout.write(JSON.stringify({ seconds: (user + system) / 1e6, records: records.length, length }));
