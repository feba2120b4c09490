import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Bench } from '../figure.ts';
import { runChild } from '../support/child.ts';
import { RecordBytes } from '../support/oai-records.ts';
import { oaiPython } from '../support/oai-source.ts';
import { median } from '../support/spread.ts';

const RECORDS = 50_000;
const BENCH = join(import.meta.dirname, '..');
const SHEET = join(BENCH, 'baselines/bench.xsl');

export const xslt: Bench = {
  name: 'xslt',
  about: '50,000 oai_dc records of 1.3 kB through a sheet of XSLT, beside libxslt by lxml: processor time',

  async run({ runs, scale, folder, log }) {
    const records = Math.round(RECORDS * scale);
    const file = folder.next('records.txt');
    writeMetadata(file, records);
    const ours: number[] = [];
    const theirs: number[] = [];
    for (let run = 1; run <= runs; run++) {
      ours.push(await rateOf(process.execPath, [join(BENCH, 'probes/xslt-records.ts'), file, SHEET], records));
      theirs.push(await rateOf(oaiPython(), [join(BENCH, 'baselines/lxml_xslt.py'), file, SHEET], records));
      log(
        `${run}: ${Math.round(ours.at(-1)!)} records for each second of a processor; lxml ${Math.round(theirs.at(-1)!)}`,
      );
    }
    return [
      {
        name: `${records.toLocaleString('en')} records through a sheet`,
        unit: 'records for each second of a processor',
        ours,
        baseline: { name: 'libxslt, by lxml', values: theirs },
        limit: { least: median(theirs) * 0.7 },
      },
    ];
  },
};

/** Writes the metadata of records, one on a line. */
function writeMetadata(file: string, count: number): void {
  const bytes = new RecordBytes();
  const lines = Array.from({ length: count }, (_, number) => {
    const record = bytes.record('oai_dc', { number, revision: 0, datestamp: '2026-01-01T00:00:00Z' }).toString();
    return `${/<metadata>(.*)<\/metadata>/.exec(record)![1]}\n`;
  });
  writeFileSync(file, lines.join(''));
}

async function rateOf(program: string, args: readonly string[], records: number): Promise<number> {
  const result = JSON.parse((await runChild(program, args)).stdout);
  if (result.records !== records) throw new Error(`${result.records} records were transformed, not ${records}`);
  return records / result.seconds;
}
