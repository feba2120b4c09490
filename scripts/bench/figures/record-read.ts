import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { openArtifacts } from '../../../src/artifacts/open-artifacts.ts';
import { keyOfRecordId } from '../../../src/core/record-key.ts';
import { parseS3Location } from '../../../src/lib/s3/s3-location.ts';
import { S3Server } from '../../services/s3.ts';
import type { Bench } from '../figure.ts';
import { writeArtifact } from '../support/record-artifact.ts';
import { writeDocuments } from '../support/record-documents.ts';
import { percentile } from '../support/spread.ts';
import { Tidemark } from '../support/tidemark.ts';

const BUCKET = 'artifacts';
const READS = 500;

export const recordRead: Bench = {
  name: 'record-read',
  about: 'reading single records by HTTP, out of an artifact of 1,000,000 of them on versitygw',

  async run({ runs, scale, folder, log }) {
    const records = Math.round(1_000_000 * scale);
    const documents = folder.next('documents');
    writeDocuments(documents);
    const server = await S3Server.start({ folder: folder.next('s3') });
    const { accessKeyId: AWS_ACCESS_KEY_ID, secretAccessKey: AWS_SECRET_ACCESS_KEY } = server.keys;
    Object.assign(process.env, { AWS_ACCESS_KEY_ID, AWS_SECRET_ACCESS_KEY });
    try {
      mkdirSync(join(server.buckets, BUCKET));
      const location = `s3://${BUCKET}?endpoint=${server.endpoint}`;
      const place = parseS3Location(location, 'artifacts');
      const artifacts = openArtifacts({ kind: 's3', place, settings: { timeoutMs: 30_000 } });
      const bytes = await writeArtifact(artifacts, { documents, records, revision: 0, changed: 0 });
      await artifacts.close();
      const tidemark = await Tidemark.create(folder.next('data'), { TIDEMARK_ARTIFACTS: location });
      await tidemark.addRecords('cdl', 'cdl/harvest');
      const { stdout } = await tidemark.run('scan', 'cdl');
      log(`compared ${records} records (${bytes} bytes) in ${JSON.parse(stdout).seconds.toFixed(1)} s`);

      const running = await tidemark.start();
      const values: number[] = [];
      try {
        for (let run = 0; run <= runs; run++) {
          const times: number[] = [];
          for (let at = 0; at < READS; at++) {
            // Far apart, so that no block is read for two of them.
            const number = (run * 7_919 + at * Math.floor(records / READS)) % records;
            const start = performance.now();
            const { body } = await running.client.get(
              `/sets/cdl/resources${keyOfRecordId(`oai:example.org:${number}`)}`,
            );
            times.push(performance.now() - start);
            if (!body.toString('latin1', 0, 8).startsWith('<record>')) throw new Error('that is no record');
          }
          // The first warms the server up, and does not count.
          if (run > 0) values.push(percentile(times, 95));
          log(`${run}: p50 ${percentile(times, 50).toFixed(1)} ms, p95 ${percentile(times, 95).toFixed(1)} ms`);
        }
      } finally {
        await running.stop();
      }
      return [
        {
          name: `one of ${records.toLocaleString('en')} records by HTTP, out of S3, p95 of ${READS}`,
          unit: 'ms',
          ours: values,
          limit: { most: 20 },
        },
      ];
    } finally {
      await server.stop();
    }
  },
};
