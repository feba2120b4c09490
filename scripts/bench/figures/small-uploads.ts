import { setTimeout as wait } from 'node:timers/promises';
import { marc } from '../../../test/support/upload-packages.ts';
import type { Bench, BenchOptions, Figure } from '../figure.ts';
import { onElasticsearch } from '../support/elasticsearch.ts';
import { HttpClient } from '../support/http-client.ts';
import { type Server, Tidemark } from '../support/tidemark.ts';

const UPLOADS = 10;
const UPLOAD_PATH = '/api/organizations/lane/uploads';
/** What the polling clients read, one each. */
const POLLED = [
  '/organizations/lane/',
  '/organizations/',
  '/sets/lane/resourcelist.xml',
  '/sets/lane/changelist.xml',
  `${UPLOAD_PATH}/main/1`,
  '/metrics',
];

export const smallUploads: Bench = {
  name: 'small-uploads',
  about:
    'ten uploads of one record, one after another, on Elasticsearch and on SQLite, alone and while six clients poll',

  run: (options) =>
    onElasticsearch(options, async (elasticsearch) => {
      const prefix = elasticsearch.nextPrefix();
      const sqlite = await Tidemark.create(options.folder.next('data'));
      try {
        return await compare(options, { sqlite, elasticsearch: await elasticsearch.tidemark(prefix) });
      } finally {
        await elasticsearch.remove(prefix);
      }
    }),
};

type Stores = Readonly<Record<'sqlite' | 'elasticsearch', Tidemark>>;

interface Measured {
  readonly seconds: number;
  readonly longestSeconds: number;
  /** Requests to Elasticsearch for each upload, those of its background work and of the clients included. */
  readonly requests: number;
}

async function compare(options: BenchOptions, stores: Stores): Promise<readonly Figure[]> {
  const servers: Server[] = [];
  const start = async (tidemark: Tidemark) => {
    await tidemark.run('organizations', 'add', 'lane');
    const server = await tidemark.start();
    servers.push(server);
    await upload(server);
    return server;
  };
  try {
    return await measure(options, {
      sqlite: await start(stores.sqlite),
      elasticsearch: await start(stores.elasticsearch),
    });
  } finally {
    for (const server of servers) await server.stop();
  }
}

async function measure(
  { runs, log }: BenchOptions,
  servers: Readonly<Record<keyof Stores, Server>>,
): Promise<readonly Figure[]> {
  const ours: number[] = [];
  const theirs: number[] = [];
  const requests: number[] = [];
  const longest: number[] = [];
  for (let run = 1; run <= runs; run++) {
    const onSqlite = await tenUploads(servers.sqlite);
    const alone = await tenUploads(servers.elasticsearch);
    const polled = await whilePolled(servers.elasticsearch, () => tenUploads(servers.elasticsearch));
    theirs.push(onSqlite.seconds);
    ours.push(alone.seconds);
    requests.push(alone.requests);
    longest.push(polled.longestSeconds);
    log(
      `${run}: ${alone.seconds.toFixed(1)} s, ${alone.requests.toFixed(0)} requests each; SQLite ${onSqlite.seconds.toFixed(1)} s; while polled ${polled.seconds.toFixed(1)} s, the longest ${polled.longestSeconds.toFixed(1)} s`,
    );
  }
  const baseline = { name: 'the same on SQLite', values: theirs };
  return [
    { name: 'ten uploads of one record on Elasticsearch', unit: 's', ours, baseline },
    {
      name: 'ten uploads of one record on Elasticsearch, in times of SQLite',
      unit: 'times',
      ours: ours.map((seconds, at) => seconds / theirs[at]!),
      limit: { most: 3 },
    },
    { name: 'requests to Elasticsearch for each of them', unit: 'requests', ours: requests },
    { name: 'the longest of them while six clients poll', unit: 's', ours: longest, limit: { most: 10 } },
  ];
}

async function tenUploads(server: Server): Promise<Measured> {
  const before = await requestsOf(server);
  const times: number[] = [];
  for (let number = 0; number < UPLOADS; number++) times.push(await upload(server));
  const requests = ((await requestsOf(server)) - before) / UPLOADS;
  return { seconds: times.reduce((sum, one) => sum + one, 0), longestSeconds: Math.max(...times), requests };
}

/** Seconds until it is published. */
async function upload({ url }: Server): Promise<number> {
  const began = performance.now();
  const form = new FormData();
  form.append('files', new Blob([Uint8Array.from(marc(`${Math.round(began)}`))]), 'one.mrc');
  const sent = await fetch(`${url}${UPLOAD_PATH}`, { method: 'POST', body: form });
  const { number } = (await sent.json()) as { readonly number: number };
  for (;;) {
    const { status } = (await (await fetch(`${url}${UPLOAD_PATH}/main/${number}`)).json()) as {
      readonly status: string;
    };
    if (status === 'processed') return (performance.now() - began) / 1000;
    if (status !== 'waiting' && status !== 'processing') throw new Error(`upload ${number} is ${status}`);
    await wait(50);
  }
}

async function requestsOf({ client }: Server): Promise<number> {
  const text = await client.text('/metrics');
  return Number(/^tidemark_store_requests_total\{outcome="answered"\} (\d+)/m.exec(text)?.[1] ?? 0);
}

async function whilePolled<Result>({ url }: Server, work: () => Promise<Result>): Promise<Result> {
  let isPolling = true;
  const clients = POLLED.map(async (path) => {
    const client = new HttpClient(url);
    while (isPolling) await client.get(path);
    client.close();
  });
  try {
    return await work();
  } finally {
    isPolling = false;
    await Promise.all(clients);
  }
}
