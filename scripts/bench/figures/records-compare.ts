import { join } from 'node:path';
import { openArtifacts } from '../../../src/artifacts/open-artifacts.ts';
import type { Bench } from '../figure.ts';
import { MOST_MEMORY_MB } from '../support/peak-memory.ts';
import { writeArtifact } from '../support/record-artifact.ts';
import { writeDocuments } from '../support/record-documents.ts';
import { runMeasured } from '../support/run-measured.ts';
import { Tidemark } from '../support/tidemark.ts';

const CHANGED = 1_000;

export const recordsCompare: Bench = {
  name: 'records-compare',
  about: 'comparing an artifact of 1,000,000 records of 1 KB with the one before, 1,000 of them changed, on SQLite',

  async run({ runs, scale, folder, log }) {
    const records = Math.round(1_000_000 * scale);
    const documents = folder.next('documents');
    writeDocuments(documents);
    const tidemark = await Tidemark.create(folder.next('data'));
    const artifacts = openArtifacts({ kind: 'folder', folder: join(tidemark.dataFolder, 'artifacts') });
    const write = (revision: number, changed: number) =>
      writeArtifact(artifacts, { documents, records, revision, changed });
    const scan = async () => {
      const { stdout, seconds, memory } = await runMeasured(tidemark, ['scan', 'cdl']);
      const summary = JSON.parse(stdout);
      return { ...summary, speed: records / summary.seconds, whole: seconds, memory };
    };
    await tidemark.run('sets', 'add', 'cdl', '--records', 'cdl/harvest');
    const bytes = await write(0, 0);
    const first = await scan();
    if (first.created !== records) throw new Error(`of ${records} records ${first.created} were created`);
    log(`first: ${first.speed.toFixed(0)} records/s, ${first.memory.toFixed(0)} MB; the artifact has ${bytes} bytes`);

    const speeds: number[] = [];
    const memories: number[] = [];
    for (let run = 1; run <= runs; run++) {
      await write(run, CHANGED);
      const { updated, created, deleted, speed, memory, whole } = await scan();
      if (updated !== CHANGED || created !== 0 || deleted !== 0) {
        throw new Error(`${CHANGED} records changed, and there were +${created} ~${updated} -${deleted}`);
      }
      speeds.push(speed);
      memories.push(memory);
      log(`${run}: ${speed.toFixed(0)} records/s, ${memory.toFixed(0)} MB, the whole process ${whole.toFixed(1)} s`);
    }
    const number = records.toLocaleString('en');
    return [
      { name: `first comparison of ${number} records`, unit: 'records/s', ours: [first.speed] },
      { name: '… memory', unit: 'MB', ours: [first.memory], limit: { most: MOST_MEMORY_MB } },
      {
        name: `comparing ${number} records, ${CHANGED} changed`,
        unit: 'records/s',
        ours: speeds,
        limit: { least: 100_000 },
      },
      { name: '… memory', unit: 'MB', ours: memories, limit: { most: MOST_MEMORY_MB } },
    ];
  },
};
