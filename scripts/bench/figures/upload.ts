import { randomBytes } from 'node:crypto';
import { closeSync, fsyncSync, openSync, rmSync, writeSync } from 'node:fs';
import { findFreePort } from '../../../test/support/free-port.ts';
import type { Bench, Figure } from '../figure.ts';
import { runChild } from '../support/child.ts';
import { Nginx } from '../support/nginx.ts';
import { MOST_MEMORY_MB, restartPeakMemory } from '../support/peak-memory.ts';
import { processorTime } from '../support/processor-time.ts';
import { median } from '../support/spread.ts';
import { type Server, Tidemark } from '../support/tidemark.ts';

const BYTES = 4 * 1024 ** 3;
const BLOCK = 16 * 1024 ** 2;
/** A sender is slowed down when it sends more than this in a minute. */
const UNLIMITED = { TIDEMARK_ACCESS_LOG: 'false', TIDEMARK_TOKEN_BODY: 'unlimited' };

/** What was measured of one upload. */
interface Measured {
  readonly rate: number;
  /** Of the server, for each gigabyte. */
  readonly processorSeconds: number;
}

export const upload: Bench = {
  name: 'upload',
  about:
    'receiving a form with a file of 4 GB, durably, beside nginx, which writes the same body to a file (needs nginx-light and curl)',

  async run({ runs, scale, folder, log }) {
    const file = folder.next('upload.mrc');
    const gigabytes = writeBytes(file, Math.round(BYTES * scale)) / 1e9;
    const tidemark = await Tidemark.create(folder.next('data'), UNLIMITED);
    await tidemark.run('organizations', 'add', 'lane');
    await tidemark.run('streams', 'add', 'lane', 'main');
    const server = await tidemark.start(['serve', '--no-jobs']);
    const nginx = new Nginx(folder.next('nginx'), await findFreePort());
    const [ours, theirs] = [[] as Measured[], [] as Measured[]];
    const [synced, memory] = [[] as number[], [] as number[]];
    try {
      await nginx.startReceiving(await findFreePort());
      for (let run = 1; run <= runs; run++) {
        restartPeakMemory(server.pid);
        const path = '/api/organizations/lane/uploads';
        ours.push(await measured(gigabytes, server.pid, () => post(file, `${server.url}${path}`)));
        memory.push(server.peakMemory());
        await removeUploads(tidemark, server);
        theirs.push(await measured(gigabytes, nginx.worker(), () => post(file, `${nginx.url}/uploads`)));
        const [a, b] = [ours.at(-1)!, theirs.at(-1)!];
        synced.push((gigabytes * 1000) / ((gigabytes * 1000) / b.rate + nginx.syncReceived()));
        log(
          `${run}: ${a.rate.toFixed(0)} MB/s, ${a.processorSeconds.toFixed(2)} s/GB, ${memory.at(-1)!.toFixed(0)} MB; nginx ${b.rate.toFixed(0)} MB/s, ${b.processorSeconds.toFixed(2)} s/GB, ${synced.at(-1)!.toFixed(0)} MB/s with a sync`,
        );
      }
    } finally {
      await server.stop();
      await nginx.stop();
      rmSync(file);
    }
    return figures(gigabytes, { ours, theirs, synced, memory });
  },
};

function figures(
  gigabytes: number,
  {
    ours,
    theirs,
    synced,
    memory,
  }: Readonly<Record<'ours' | 'theirs', Measured[]> & Record<'synced' | 'memory', number[]>>,
): readonly Figure[] {
  const rates = theirs.map(({ rate }) => rate);
  return [
    {
      name: `receiving a form of ${gigabytes.toFixed(1)} GB, hashed and durable`,
      unit: 'MB/s',
      ours: ours.map(({ rate }) => rate),
      baseline: { name: 'nginx, neither', values: rates },
      limit: { least: median(rates) * 0.7 },
    },
    {
      name: '… beside nginx whose file is synced afterwards',
      unit: 'MB/s',
      ours: ours.map(({ rate }) => rate),
      baseline: { name: 'nginx, durable', values: synced },
    },
    {
      name: '… processor time of the server for each GB',
      unit: 's',
      ours: ours.map(({ processorSeconds }) => processorSeconds),
      baseline: { name: 'nginx', values: theirs.map(({ processorSeconds }) => processorSeconds) },
    },
    { name: '… peak memory', unit: 'MB', ours: memory, limit: { most: MOST_MEMORY_MB } },
  ];
}

async function measured(gigabytes: number, pid: number, work: () => Promise<number>): Promise<Measured> {
  const before = processorTime(pid);
  const seconds = await work();
  return { rate: (gigabytes * 1000) / seconds, processorSeconds: (processorTime(pid) - before) / gigabytes };
}

/** Posts a form with a file by curl. Returns how many seconds it took. */
async function post(file: string, url: string): Promise<number> {
  // Without the header, it waits a second for a "100 Continue" of a server that does not send one.
  return (await runChild('curl', ['-sS', '--fail', '-H', 'Expect:', '-F', `files=@${file}`, '-o', '/dev/null', url]))
    .seconds;
}

/** Each takes the room of its file on the disk. */
async function removeUploads({ dataFolder }: Tidemark, { url }: Server): Promise<void> {
  const response = await fetch(`${url}/api/organizations/lane/uploads?limit=1`);
  const { uploads } = (await response.json()) as { uploads: readonly { readonly number: number }[] };
  if (uploads.length === 0) throw new Error('the upload is not listed');
  rmSync(`${dataFolder}/artifacts/_uploads`, { recursive: true });
}

/** Bytes that no one can compress. Returns how many. */
function writeBytes(file: string, bytes: number): number {
  const block = randomBytes(BLOCK);
  const descriptor = openSync(file, 'w');
  for (let written = 0; written < bytes; written += BLOCK)
    writeSync(descriptor, block, 0, Math.min(BLOCK, bytes - written));
  fsyncSync(descriptor);
  closeSync(descriptor);
  return bytes;
}
