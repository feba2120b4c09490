import assert from 'node:assert/strict';
import { Catalogue, type CatalogueFile, entriesFrom, writeCatalogueFile } from '../support/marc-catalogue.ts';
import { PRINTING_MEMORY } from '../support/prints-memory.ts';
import { killTidemarks, runProcess } from '../support/run-tidemark.ts';
import { useTempFolder } from '../support/temp-folder.ts';

/** Kilobytes that reading a file may take, however large it is. */
const MOST_MEMORY = 250_000;

interface LargeFile extends Pick<CatalogueFile, 'format'> {
  readonly records: number;
  readonly gzip: boolean;
}

/** Half a gigabyte of MARC21, and 200 MB of MARCXML, which is read more slowly. Gzip is undone alike. */
const FILES: readonly LargeFile[] = [
  { format: 'marc21', records: 300_000, gzip: false },
  { format: 'marcxml', records: 60_000, gzip: true },
];

describe('files much larger than the memory that reads them', () => {
  const folder = useTempFolder();
  afterEach(killTidemarks);

  for (const { format, records, gzip } of FILES) {
    it(`are read whole: ${records} records of ${format}${gzip ? ', with gzip' : ''}`, async () => {
      const file = folder.at('large');
      await writeCatalogueFile({
        catalogue: new Catalogue({ seed: 9 }),
        ...{ format, entries: entriesFrom(0, records), file, gzip },
      });
      const { stdout, stderr } = await runProcess(['uploads', 'check', file, '--json'], {
        cwd: folder.path,
        timeout: 600_000,
        env: PRINTING_MEMORY,
      });
      const { kind, records: read, errors } = JSON.parse(stdout);
      assert.deepEqual([kind, read, errors], [format, records, 0]);
      assert.ok(Number(stderr) < MOST_MEMORY, `${stderr} kB`);
    }).timeout(900_000);
  }
});
