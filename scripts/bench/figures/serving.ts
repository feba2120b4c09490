import { randomBytes } from 'node:crypto';
import { mkdirSync, rmSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { findFreePort } from '../../../test/support/free-port.ts';
import type { Bench, BenchOptions, Figure } from '../figure.ts';
import { EventLoopProbe } from '../support/event-loop.ts';
import { writeEvents } from '../support/events.ts';
import { Nginx } from '../support/nginx.ts';
import { postFile } from '../support/post-file.ts';
import { median } from '../support/spread.ts';
import { type Server, Tidemark } from '../support/tidemark.ts';
import { type Load, measure, type Rates, requireWrk } from '../support/wrk.ts';

const CONNECTIONS = 64;
/** Of each measurement, and of the first one, which warms up and does not count. */
const SECONDS = 2;
const WARM_UP = 3;
/** Nor has nginx one. */
const NO_ACCESS_LOG = { TIDEMARK_ACCESS_LOG: 'false' };
const GZIP = { 'Accept-Encoding': 'gzip' };
const SMALL = { least: 0.3, rate: 'requests', unit: 'requests/s' } as const;
const LARGE = { least: 0.8, rate: 'bytes', unit: 'MB/s' } as const;

/** So many entries make a page of a megabyte as gzip. */
const PAGE_ENTRIES = 20_000;
const SMALL_FILES = 100;
const LARGE_FILES = 20;

/** What was measured of one case. */
interface Measured {
  readonly ours: Rates[];
  readonly theirs: Rates[];
}

interface Case {
  readonly name: string;
  readonly paths: readonly string[];
  readonly headers: Readonly<Record<string, string>>;
  /** Whether the client sends the ETag of what it has. */
  readonly isKnown?: boolean;
  readonly kind: typeof SMALL | typeof LARGE;
}

const CASES: readonly Case[] = [
  { name: 'a Capability List', paths: ['/sets/few/capabilitylist.xml'], headers: {}, kind: SMALL },
  { name: 'a Resource List of 20', paths: ['/sets/few/resourcelist.xml'], headers: GZIP, kind: SMALL },
  { name: 'the same, not modified', paths: ['/sets/few/resourcelist.xml'], headers: GZIP, isKnown: true, kind: SMALL },
  { name: 'files of 1 kB', paths: pathsOf('small', SMALL_FILES), headers: {}, kind: SMALL },
  { name: 'a page of 1 MB as gzip', paths: ['/sets/many/resourcelist.xml'], headers: GZIP, kind: LARGE },
  { name: 'files of 1 MB', paths: pathsOf('large', LARGE_FILES), headers: {}, kind: LARGE },
];

export const serving: Bench = {
  name: 'serving',
  about: `${CONNECTIONS} connections of documents and files, beside nginx with the same (needs nginx-light and wrk)`,

  async run(options) {
    requireWrk();
    const { folder, runs, log } = options;
    const tidemark = await prepare(options);
    const server = await tidemark.start(['serve'], NO_ACCESS_LOG);
    const nginx = new Nginx(folder.next('nginx'), await findFreePort());
    try {
      await ready(server);
      for (const { paths, headers } of CASES) {
        for (const path of paths) nginx.add(path, await server.client.get(path, headers));
      }
      await nginx.start();
      const rates = new Map<Case, Measured>(CASES.map((one) => [one, { ours: [], theirs: [] }]));
      for (let run = 0; run <= runs; run++) {
        for (const [one, measured] of rates) {
          const seconds = run === 0 ? WARM_UP : SECONDS;
          const ours = await load(options, server.url, one, seconds);
          const theirs = await load(options, nginx.url, one, seconds);
          if (run === 0) continue;
          measured.ours.push(ours);
          measured.theirs.push(theirs);
          const { rate } = one.kind;
          log(`${run}: ${one.name}: ${(ours[rate] / theirs[rate]).toFixed(2)} of nginx`);
        }
      }
      const figures = [...rates].map(([one, measured]) => figureOf(one, measured));
      const used = memory(server, nginx);
      await server.stop();
      return [...figures, used, await blocked(options, tidemark)];
    } finally {
      await nginx.stop();
      await server.stop();
    }
  },
};

async function prepare({ folder }: BenchOptions): Promise<Tidemark> {
  const root = folder.next('root');
  writeFiles(join(root, 'small'), SMALL_FILES, 1024);
  writeFiles(join(root, 'large'), LARGE_FILES, 1024 * 1024);
  const tidemark = await Tidemark.create(folder.next('data'));
  await tidemark.addFolder('files', root);
  await tidemark.addSet('few');
  await tidemark.addSet('many', '--page-size', String(PAGE_ENTRIES));
  const server = await tidemark.start(['serve'], NO_ACCESS_LOG);
  for (const [set, count] of [
    ['few', 20],
    ['many', PAGE_ENTRIES],
  ] as const) {
    const file = folder.next('events.ndjson');
    await writeEvents(file, { count, order: 'ascending' });
    await postFile(server, { set, file, count });
    rmSync(file);
  }
  await server.stop();
  return tidemark;
}

function writeFiles(folder: string, count: number, bytes: number): void {
  mkdirSync(folder, { recursive: true });
  const hourAgo = Date.now() / 1000 - 3600;
  for (let number = 0; number < count; number++) {
    const file = join(folder, `${number}.bin`);
    writeFileSync(file, randomBytes(bytes));
    utimesSync(file, hourAgo, hourAgo);
  }
}

function pathsOf(folder: string, count: number): readonly string[] {
  return Array.from({ length: count }, (_, number) => `/sets/files/resources/${folder}/${number}.bin`);
}

/** Waits until the files were scanned: until then it answers 503, which the client asks again. */
async function ready({ client }: Server): Promise<void> {
  await client.get('/readyz');
}

async function load({ folder }: BenchOptions, url: string, one: Case, seconds: number): Promise<Rates> {
  const headers: Record<string, string> = { ...one.headers };
  if (one.isKnown) {
    const answer = await fetch(url + one.paths[0], { headers: one.headers });
    await answer.body?.cancel();
    headers['If-None-Match'] = answer.headers.get('etag')!;
  }
  const load: Load = { connections: CONNECTIONS, seconds, paths: one.paths, headers };
  return measure(url, load, join(folder.path, 'wrk.lua'));
}

/** The limit is for one process of each. */
function figureOf({ name, kind: { rate, unit, least } }: Case, { ours, theirs }: Measured): Figure {
  const values = (rates: readonly Rates[]) => rates.map((one) => (rate === 'bytes' ? one.bytes / 1e6 : one.requests));
  const baseline = { name: 'nginx', values: values(theirs) };
  return { name, unit, ours: values(ours), baseline, limit: { least: median(baseline.values) * least } };
}

function memory(server: Server, nginx: Nginx): Figure {
  const baseline = { name: 'nginx', values: [nginx.peakMemory()] };
  return { name: '… memory, at most', unit: 'MB', ours: [server.peakMemory()], baseline };
}

/** In a run of its own, since looking costs something. */
async function blocked(options: BenchOptions, tidemark: Tidemark): Promise<Figure> {
  const probe = new EventLoopProbe(options.folder.next('event-loop'));
  const server = await tidemark.start(['serve'], { ...NO_ACCESS_LOG, ...probe.env });
  try {
    await ready(server);
    for (const one of CASES) await load(options, server.url, one, 1);
    await probe.longestBlock(server);
    const ours: number[] = [];
    for (const one of CASES) {
      await load(options, server.url, one, 1);
      ours.push(await probe.longestBlock(server));
    }
    return { name: '… HTTP thread blocked at a time, at most', unit: 'ms', ours, limit: { most: 50 } };
  } finally {
    await server.stop();
  }
}
