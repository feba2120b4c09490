import { spawnSync } from 'node:child_process';
import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { Catalogue, entriesFrom, writeCatalogueFile } from '../../../test/support/marc-catalogue.ts';
import type { Bench, Figure } from '../figure.ts';
import { runChild } from '../support/child.ts';
import { median } from '../support/spread.ts';

const PROBE = join(import.meta.dirname, '../probes/write-marcxml.ts');
/** A full dump of both formats has 20,000 records a second, with gzip, on two processors. */
const MOST_MICROSECONDS = 10;

export const marcXmlWrite: Bench = {
  name: 'marcxml-write',
  about: 'writing 300,000 records of 1.5 kB as MARCXML; whole processes, which read them as MARC21',

  async run({ runs, scale, folder, log }) {
    if (spawnSync('yaz-marcdump', ['-V']).error) throw new Error('the baseline needs yaz: "apt-get install yaz"');
    const count = Math.ceil(300_000 * scale);
    const file = folder.next('records.mrc');
    const entries = entriesFrom(0, count);
    await writeCatalogueFile({ catalogue: new Catalogue({ seed: 1 }), format: 'marc21', entries, file });
    const [ours, writing, memory, yaz]: readonly number[][] = [[], [], [], []];
    for (let run = 1; run <= runs; run++) {
      const { stdout, seconds } = await runChild(process.execPath, [PROBE, JSON.stringify({ file })]);
      const written: Record<'count' | 'microseconds' | 'memory', number> = JSON.parse(stdout);
      if (written.count !== count) throw new Error(`${written.count} records were written, not ${count}`);
      ours!.push(count / seconds);
      writing!.push(written.microseconds);
      memory!.push(written.memory);
      const command = 'exec yaz-marcdump -i marc -o marcxml "$1" > /dev/null';
      yaz!.push(count / (await runChild('sh', ['-c', command, 'sh', file])).seconds);
      log(
        `${run}: ${Math.round(ours!.at(-1)!)}/s, ${written.microseconds.toFixed(1)} µs; yaz ${Math.round(yaz!.at(-1)!)}/s`,
      );
    }
    rmSync(file);
    const figures: readonly Figure[] = [
      {
        name: `writing ${count.toLocaleString('en')} records as MARCXML`,
        unit: 'records/s',
        ours: ours!,
        baseline: { name: '`yaz-marcdump -o marcxml`', values: yaz! },
        limit: { least: median(yaz!) / 2 },
      },
      { name: '… processor time of a record', unit: 'µs', ours: writing!, limit: { most: MOST_MICROSECONDS } },
      { name: '… peak memory', unit: 'MB', ours: memory!, limit: { most: 150 } },
    ];
    return figures;
  },
};
