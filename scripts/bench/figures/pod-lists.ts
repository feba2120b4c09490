import { join } from 'node:path';
import { type App, openApp } from '../../../src/app.ts';
import { readNodes } from '../../../src/config/elasticsearch-nodes.ts';
import { StoredDumps } from '../../../src/records/dumps/stored-dumps.ts';
import type { StreamDump } from '../../../src/records/dumps/stored-stream-dump.ts';
import { setOfStream } from '../../../src/records/stream-set-names.ts';
import { sync } from '../../../src/sources/sync/sync.ts';
import type { StoreLocation } from '../../../src/stores/locations.ts';
import { testConfiguration } from '../../../test/support/start-app.ts';
import type { Bench, BenchOptions, Figure } from '../figure.ts';
import { onElasticsearch } from '../support/elasticsearch.ts';
import { Tidemark } from '../support/tidemark.ts';

const DUMPS = ['full', 'delta', 'delta'] as const;
const PATHS = ['/organizations/resourcelist', '/organizations/normalized_resourcelist/marcxml'];

export const podLists: Bench = {
  name: 'pod-lists',
  about: 'the lists of 500 organizations with 3 dumps each, in the shape of the POD aggregator',

  async run(options) {
    const tidemark = await Tidemark.create(options.folder.next('data'));
    const file = join(tidemark.dataFolder, 'tidemark.db');
    return measure(options, { tidemark, store: { kind: 'sqlite', file } });
  },
};

export const elasticsearchPodLists: Bench = {
  name: 'es-pod-lists',
  about: `${podLists.about}, on Elasticsearch`,

  run: (options) =>
    onElasticsearch(options, async (server) => {
      const prefix = server.nextPrefix();
      try {
        const store = { kind: 'elasticsearch', ...readNodes(server.url), prefix } as const;
        return await measure(options, { tidemark: await server.tidemark(prefix), store });
      } finally {
        await server.remove(prefix);
      }
    }),
};

interface Place {
  readonly tidemark: Tidemark;
  readonly store: StoreLocation;
}

async function measure({ runs, scale, log }: BenchOptions, place: Place): Promise<readonly Figure[]> {
  const count = Math.round(500 * scale);
  await fill(place, count);
  const server = await place.tidemark.start();
  const times = new Map(PATHS.map((path) => [path, [] as number[]]));
  try {
    for (const path of PATHS) await server.client.text(path);
    for (let run = 1; run <= runs; run++) {
      for (const path of PATHS) {
        const begin = performance.now();
        const text = await server.client.text(path);
        times.get(path)!.push(performance.now() - begin);
        const lists = text.split('<sitemap>').length - 1;
        if (lists !== count) throw new Error(`${path} has ${lists} lists`);
      }
      log(`${run}: ${PATHS.map((path) => `${times.get(path)!.at(-1)!.toFixed(0)} ms`).join(', ')}`);
    }
  } finally {
    await server.stop();
  }
  const name = (path: string) => `GET ${path}, ${count} organizations with 3 dumps each`;
  return PATHS.map((path) => ({ name: name(path), unit: 'ms', ours: times.get(path)!, limit: { most: 300 } }));
}

async function fill({ tidemark: { dataFolder, baseUrl }, store }: Place, count: number): Promise<void> {
  const app = await openApp(testConfiguration(dataFolder, { store, baseUrl }));
  try {
    await app.sets.useBaseUrl(baseUrl, true);
    for (let number = 0; number < count; number++) await addOrganization(app, `organization-${number}`);
  } finally {
    await app.close();
  }
}

async function addOrganization({ catalog, records, sets, sources, updater }: App, organization: string): Promise<void> {
  await records.organizations.add(organization, { contacts: [] });
  await records.organizations.addStream(organization, 'main');
  const stored = new StoredDumps(catalog);
  for (const [at, kind] of DUMPS.entries()) await stored.add(dumpOf(organization, at + 1, kind));
  const set = await sets.bySlug(setOfStream({ organization }, 'dumps'));
  await sync({ set, source: sources.sourceOf(set), updater });
}

/** The files themselves are not stored. */
function dumpOf(organization: string, number: number, kind: StreamDump['kind']): StreamDump {
  const at = Date.now() + number * 1000;
  const digests = { sha256: '0'.repeat(64), md5: '0'.repeat(32) };
  const files = ['marc21', 'marcxml'].map((file) => ({
    kind: file,
    name: `${organization}-${kind}-${file}.gz`,
    mime: 'application/gzip',
    ...digests,
    length: 1_000,
    artifact: `_stream-dumps/${organization}/${number}-${file}`,
  }));
  const totals = { records: 10, deletions: 0, errata: 0 };
  return { organization, kind, at, number, until: at * 1000, set: 1, epoch: 1, totals, files, token: 'bench' };
}
