import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { buffer } from 'node:stream/consumers';
import type { ArtifactStore } from '../../../src/artifacts/artifact-store.ts';
import type { Codec } from '../../../src/artifacts/avro/codecs.ts';
import { decodeBlock, readHeader } from '../../../src/artifacts/avro/container-reader.ts';
import { type BlockPlace, encodeContainer } from '../../../src/artifacts/avro/container-writer.ts';
import { openArtifacts } from '../../../src/artifacts/open-artifacts.ts';
import { parseS3Location } from '../../../src/lib/s3/s3-location.ts';
import { S3Server } from '../../services/s3.ts';
import type { Bench, BenchOptions, Figure } from '../figure.ts';
import { countRequests } from '../support/counting-proxy.ts';
import { recordsWith, writeDocuments } from '../support/record-documents.ts';
import { percentile } from '../support/spread.ts';

const BUCKET = 'artifacts';
/** Records that are read in one run, from the first of the artifact to the last. */
const READS = 1_000;
/** Reads whose requests are counted. */
const COUNTED = 20;

interface Artifact {
  readonly key: string;
  readonly codec: Codec;
  readonly count: number;
  readonly places: readonly BlockPlace[];
}

export const avroRandom: Bench = {
  name: 'avro-random',
  about: 'one record out of an artifact of 1,000,000 records of 1 kB on versitygw, at any place',

  async run(options) {
    const { folder } = options;
    const server = await S3Server.start({ folder: folder.next('s3') });
    process.env.AWS_ACCESS_KEY_ID = server.keys.accessKeyId;
    process.env.AWS_SECRET_ACCESS_KEY = server.keys.secretAccessKey;
    try {
      mkdirSync(join(server.buckets, BUCKET));
      const figures: Figure[] = [];
      for (const codec of ['null', 'deflate'] as const)
        figures.push(...(await measure(options, server.endpoint, codec)));
      return figures;
    } finally {
      await server.stop();
    }
  },
};

async function measure(options: BenchOptions, endpoint: string, codec: Codec): Promise<readonly Figure[]> {
  const { runs, scale, log } = options;
  const store = storeAt(endpoint);
  const artifact = await putArtifact(options, store, { codec, count: Math.round(1_000_000 * scale) });
  const last = artifact.places.at(-1)!;
  const megabytes = (last.offset + last.length) / 1e6;
  const requests = await requestsOf(endpoint, artifact);
  const p95: number[] = [];
  const slowest: number[] = [];
  for (let run = 1; run <= runs; run++) {
    const times = await readMany(store, artifact, READS);
    p95.push(percentile(times, 95));
    slowest.push(Math.max(...times));
    log(`${codec} ${run}: p95 ${p95.at(-1)!.toFixed(1)} ms, slowest ${slowest.at(-1)!.toFixed(1)} ms`);
  }
  await store.close();
  const name = `one record of an artifact of ${Math.round(megabytes).toLocaleString('en')} MB, codec ${codec}`;
  return [
    { name: `${name}, p95`, unit: 'ms', ours: p95, limit: { most: 20 } },
    { name: '… slowest', unit: 'ms', ours: slowest },
    { name: '… requests for one record', unit: '', ours: [requests], limit: { most: 1 } },
  ];
}

async function putArtifact(
  { folder, log }: BenchOptions,
  store: ArtifactStore,
  { codec, count }: Pick<Artifact, 'codec' | 'count'>,
): Promise<Artifact> {
  const documents = folder.next('documents.ndjson');
  writeDocuments(documents);
  const key = `cdl/harvest/20170209/20170209_104428-${codec}-OriginalRecord.v1.avro`;
  const places: BlockPlace[] = [];
  const records = recordsWith(documents, count);
  const begun = performance.now();
  const onBlock = (place: BlockPlace) => places.push(place);
  await store.put(key, encodeContainer({ schema: 'OriginalRecord.v1', records, codec, onBlock }));
  log(`${codec}: ${count} records written in ${((performance.now() - begun) / 1000).toFixed(1)} s`);
  return { key, codec, count, places };
}

function storeAt(endpoint: string): ArtifactStore {
  const place = parseS3Location(`s3://${BUCKET}?endpoint=${endpoint}`, 'artifacts');
  return openArtifacts({ kind: 's3', place, settings: { timeoutMs: 30_000 } });
}

async function requestsOf(endpoint: string, artifact: Artifact): Promise<number> {
  const proxy = await countRequests(endpoint);
  const store = storeAt(proxy.url);
  try {
    const times = await readMany(store, artifact, COUNTED);
    // One more for the header, which is read once.
    return (proxy.count() - 1) / times.length;
  } finally {
    await store.close();
    proxy.close();
  }
}

/** Reads records from the first to the last, in no order, one after the other. Milliseconds of each. */
async function readMany(store: ArtifactStore, { key, count, places }: Artifact, reads: number): Promise<number[]> {
  const { body } = await store.get(key, { range: { start: 0, length: places[0]!.offset } });
  const header = await readHeader(body, { schema: 'OriginalRecord.v1', name: key });
  const times: number[] = [];
  for (let read = 0; read < reads; read++) {
    // Steps through the file by a number that has nothing in common with how many there are.
    const number = Math.round((((read * 617) % reads) / (reads - 1)) * (count - 1));
    const { place, position } = find(places, number);
    const begun = performance.now();
    const { body } = await store.get(key, { range: { start: place.offset, length: place.length } });
    const records = await decodeBlock(await buffer(body), header, place.offset);
    times.push(performance.now() - begun);
    if (records[position]?.id !== `oai:example.org:${number}`) throw new Error(`record ${number} was not found`);
  }
  return times;
}

/** The state of a resource has both. */
function find(places: readonly BlockPlace[], number: number): { place: BlockPlace; position: number } {
  let before = 0;
  for (const place of places) {
    if (number < before + place.records) return { place, position: number - before };
    before += place.records;
  }
  throw new RangeError(`there is no record ${number}`);
}
