import { randomBytes } from 'node:crypto';
import { openArtifacts } from '../../../src/artifacts/open-artifacts.ts';
import { writeHashedScratchFile } from '../../../src/datasets/backends/hashed-scratch-file.ts';
import { BlockDigest, type CapturedFile } from '../../../src/datasets/backends/warc/captured-file.ts';
import { warcOf } from '../../../src/datasets/backends/warc/write-warc.ts';
import { secondsSince } from '../support/spread.ts';

/** Writes files that are hashed already into a WARC, durably. Prints the seconds. */
const { count, size, folder }: { readonly count: number; readonly size: number; readonly folder: string } = JSON.parse(
  process.argv[2]!,
);

const BLOCK = randomBytes(1_000_000);

async function* bytes(): AsyncGenerator<Uint8Array> {
  for (let left = size; left > 0; left -= BLOCK.length) yield BLOCK.subarray(0, Math.min(left, BLOCK.length));
}

async function capture(number: number): Promise<CapturedFile> {
  const hop = {
    url: `http://127.0.0.1/${number}`,
    time: Date.now(),
    requestHead: `GET /${number} HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n`,
    responseHead: `HTTP/1.1 200 OK\r\nContent-Type: application/octet-stream\r\nContent-Length: ${size}\r\n\r\n`,
  };
  const block = new BlockDigest(hop);
  const body = await writeHashedScratchFile(block.tap(bytes()), { folder, signal: new AbortController().signal });
  return { number, path: `${number}`, hops: [hop], head: block.head, blockSha1: block.digest(), body };
}

const artifacts = openArtifacts({ kind: 'folder', folder });
const files = await Promise.all(Array.from({ length: count }, (_, at) => capture(at + 1)));
const start = performance.now();
const warc = warcOf(files, { name: 'bench.warc', time: Date.now(), description: 'bench' });
const { length } = await artifacts.put('bench.warc', warc.read(), { hashes: [] });
const seconds = secondsSince(start);
console.log(JSON.stringify({ seconds, length }));
await Promise.all(files.map(({ body }) => body.close()));
await artifacts.close();
