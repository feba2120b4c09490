import { join } from 'node:path';
import { type App, openApp } from '../../../src/app.ts';
import type { Configuration } from '../../../src/config/configuration.ts';
import { uploadId } from '../../../src/records/arrivals/upload.ts';
import { testConfiguration } from '../../../test/support/start-app.ts';
import type { Bench, BenchOptions, Figure } from '../figure.ts';
import { onElasticsearch } from '../support/elasticsearch.ts';
import { Tidemark } from '../support/tidemark.ts';

const PATHS = ['/organizations/', '/api/organization-overview?sort=failures&order=desc'];
/** Uploads of each organization, on as many days. */
const UPLOADS = 60;
const DAY_MS = 86_400_000;

export const operatorOverview: Bench = {
  name: 'operator-overview',
  about: 'the state of 500 organizations with 60 uploads each: the page and the JSON, on both stores',

  async run(options) {
    const tidemark = await Tidemark.create(options.folder.next('data'));
    const sqlite = { kind: 'sqlite', file: join(tidemark.dataFolder, 'tidemark.db') } as const;
    return [
      ...(await measure(options, tidemark, sqlite)),
      ...(await onElasticsearch(options, async (server) => {
        const prefix = server.nextPrefix();
        const cluster = await server.tidemark(prefix);
        const figures = await measure(options, cluster, { kind: 'elasticsearch', nodes: [server.url], prefix });
        await server.remove(prefix);
        return figures;
      })),
    ];
  },
};

async function measure(
  { runs, scale, log }: BenchOptions,
  tidemark: Tidemark,
  store: Configuration['store'],
): Promise<readonly Figure[]> {
  const count = Math.round(500 * scale);
  await fill(tidemark, store, count);
  const server = await tidemark.start();
  const first: number[] = [];
  const times = new Map(PATHS.map((path) => [path, [] as number[]]));
  const timeOf = async (path: string): Promise<number> => {
    const begin = performance.now();
    const text = await server.client.text(path);
    if (text.split(`organization-${count - 1}`).length < 2) throw new Error(`${path} does not list all of them`);
    return performance.now() - begin;
  };
  try {
    first.push(await timeOf(PATHS[0]!));
    for (let run = 1; run <= runs; run++) {
      for (const path of PATHS) times.get(path)!.push(await timeOf(path));
      log(`${store.kind} ${run}: ${PATHS.map((path) => `${times.get(path)!.at(-1)!.toFixed(0)} ms`).join(', ')}`);
    }
  } finally {
    await server.stop();
  }
  const on = `${count} organizations on ${store.kind === 'sqlite' ? 'SQLite' : 'Elasticsearch'}`;
  const most = store.kind === 'sqlite' ? 200 : 400;
  return [
    { name: `the first GET ${PATHS[0]} after a start, ${on}`, unit: 'ms', ours: first },
    ...PATHS.map((path) => ({ name: `GET ${path}, ${on}`, unit: 'ms', ours: times.get(path)!, limit: { most } })),
  ];
}

async function fill({ dataFolder, baseUrl }: Tidemark, store: Configuration['store'], count: number): Promise<void> {
  const app = await openApp(testConfiguration(dataFolder, { store, baseUrl }));
  try {
    await app.sets.useBaseUrl(baseUrl, true);
    for (let number = 0; number < count; number++) await addOrganization(app, `organization-${number}`);
  } finally {
    await app.close();
  }
}

/** The files themselves are not stored. */
async function addOrganization({ catalog, records }: App, organization: string): Promise<void> {
  await records.organizations.add(organization, { contacts: [], title: `The library ${organization}` });
  await records.organizations.addStream(organization, 'main');
  for (let number = 1; number <= UPLOADS; number++) {
    const received = Date.now() - (UPLOADS - number) * DAY_MS;
    const id = uploadId(organization, 'main', number);
    const name = { organization, stream: 'main', number };
    const files = [
      { name: 'new.mrc', length: 1_000_000, sha256: '0'.repeat(64), artifact: `_uploads/${organization}/${number}` },
    ];
    const by = { token: '0'.repeat(12), name: 'nightly job', address: '192.0.2.1' };
    await catalog.put('upload', id, { ...name, received, files, by, token: 'bench' }, undefined);
    const counts = { created: 1, updated: 0, deleted: 0, unchanged: 0, superseded: 0 };
    await catalog.put('upload-state', id, { applied: { at: received, ...counts } }, undefined);
  }
}
