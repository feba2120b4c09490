import { join } from 'node:path';
import { openArtifacts } from '../../../src/artifacts/open-artifacts.ts';
import { keyOfRecordId } from '../../../src/core/record-key.ts';
import type { Bench } from '../figure.ts';
import { shuffled } from '../support/events.ts';
import { writeArtifact } from '../support/record-artifact.ts';
import { writeDocuments } from '../support/record-documents.ts';
import { Tidemark } from '../support/tidemark.ts';
import { type Walked, walked } from '../support/walked.ts';

const RECORDS = 50_000;
const CONNECTIONS = 16;
const PART_IN_RANDOM_ORDER = 5;

export const distinctRecords: Bench = {
  name: 'distinct-records',
  about: 'fetching 50,000 records of 1 kB once each, out of an artifact in a folder',

  async run({ runs, scale, folder, log }) {
    const records = Math.round(RECORDS * scale);
    const documents = folder.next('documents');
    writeDocuments(documents);
    const tidemark = await Tidemark.create(folder.next('data'));
    const artifacts = openArtifacts({ kind: 'folder', folder: join(tidemark.dataFolder, 'artifacts') });
    await tidemark.addRecords('cdl', 'cdl/harvest');
    await writeArtifact(artifacts, { documents, records, revision: 0, changed: 0 });
    await tidemark.run('scan', 'cdl');
    const server = await tidemark.start(['serve'], { TIDEMARK_ACCESS_LOG: 'false' });
    try {
      await server.client.get('/readyz');
      // In the order of a Resource List, as a client requests them that copies the set.
      const keys = Array.from({ length: records }, (_, number) => keyOfRecordId(`oai:example.org:${number}`)).sort();
      const paths = keys.map((key) => `/sets/cdl/resources${key}`);
      // A harvest whose order has nothing to do with its ids: nearly every request unpacks a block of its own.
      const anyhow = [...shuffled(records)].slice(0, records / PART_IN_RANDOM_ORDER).map((number) => paths[number]!);
      const ours: Walked[] = [];
      const random: Walked[] = [];
      for (let run = 0; run <= runs; run++) {
        const our = await walked(server, paths, CONNECTIONS);
        const other = await walked(server, anyhow, CONNECTIONS);
        log(`${run}: ${our.rate.toFixed(0)} requests/s, in random order ${other.rate.toFixed(0)}`);
        // The first run fills the cache of the file system, and does not count.
        if (run === 0) continue;
        ours.push(our);
        random.push(other);
      }
      const name = `${records.toLocaleString('en')} distinct records of 1 kB`;
      return [
        { name, unit: 'requests/s', ours: ours.map(({ rate }) => rate), limit: { least: 5_000 } },
        { name: '… processor time of a request', unit: 'µs', ours: ours.map(({ micros }) => micros) },
        { name: `${name}, in random order`, unit: 'requests/s', ours: random.map(({ rate }) => rate) },
        { name: '… processor time of a request', unit: 'µs', ours: random.map(({ micros }) => micros) },
        { name: '… memory, at most', unit: 'MB', ours: [server.peakMemory()] },
      ];
    } finally {
      await server.stop();
    }
  },
};
