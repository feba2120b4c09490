import type { LiveStatus } from '../../api/live-status.ts';
import { storeStatus } from '../../api/live-status.ts';
import type { App } from '../../app.ts';
import type { Configuration } from '../../config/configuration.ts';
import { VERSION } from '../../config/version.ts';
import { sinkLags } from '../../datasets/sinks/send-results.ts';
import { formatBytes } from '../../lib/format-bytes.ts';
import { formatCount } from '../../lib/format-count.ts';
import { describeStore, type StoreLocation } from '../../stores/locations.ts';
import type { StoredIndex } from '../../stores/store-gauge.ts';
import type { FoundServer } from '../ask-server.ts';
import { askServer } from '../ask-server.ts';
import type { CliCommand } from '../cli-command.ts';
import { viewSets } from '../set-view.ts';
import { keptBaseUrl } from '../settle-base-url.ts';
import { formatTable, plural } from '../ui/table.ts';
import { withExistingApp } from '../with-app.ts';

export const status: CliCommand = {
  usage: 'status',
  summary: 'Shows the state of the source: its store, its sets, its documents, and its running server.',
  examples: [['status', 'shows the source at a glance']],
  settings: ['host', 'port', 'ownPort', 'backup', 'backupTo'],

  async run(call) {
    const view = await withExistingApp(call, (app) => viewStatus(app, call.loaded.configuration));
    await call.terminal.print(describeStatus(view), view);
  },
};

type StatusView = Awaited<ReturnType<typeof viewStatus>>;

async function viewStatus(app: App, configuration: Configuration) {
  const baseUrl = await keptBaseUrl(app);
  const [sets, server, problem] = await Promise.all([
    viewSets(app),
    askServer(configuration, baseUrl),
    app.artifactHealth.problem(),
    app.publishing.cacheScan,
  ]);
  const { store, cache } = await app.metrics.readSource();
  const scanners = await scannersBySlug(app);
  const indices = await app.gauge.indices().catch(() => []);
  const sinks = await sinkLags(app.catalog);
  const backup = await app.backup.state();
  return {
    version: VERSION,
    baseUrl,
    store: describeStore(configuration.store),
    artifacts: { store: app.artifacts.name, ...(problem !== undefined && { problem }) },
    dataFolder: configuration.dataFolder,
    /** Whether the first scan, or the import, of every set is complete. */
    ready: sets.every(({ ready }) => ready),
    /** The sums over all sets, and the position of the log; null when the store stopped answering meanwhile. */
    log: store === undefined ? null : storeStatus(store),
    ...(indices.length > 0 && { indices }),
    ...otherShards(configuration.store, indices),
    documents: { kept: cache.documents, bytes: cache.bytes },
    ...(backup !== undefined && { backup }),
    ...(sinks.length > 0 && { datasetSinks: sinks }),
    server,
    sets: sets.map(({ set, resources, changes, lastChange, ready, trouble }) => ({
      set,
      resources,
      changes,
      lastChange,
      ready,
      ...(scanners.has(set) && { scanner: scanners.get(set)?.name ?? null, unread: scanners.get(set)?.isUnread }),
      ...(trouble && { trouble }),
    })),
  };
}

/** Who scans each set that has a source. */
async function scannersBySlug({ sets, scanners }: App) {
  const all = await sets.list();
  const found = await scanners.scannersOf(all);
  return new Map(all.flatMap(({ id, slug }) => (found.has(id) ? [[slug, found.get(id)!] as const] : [])));
}

/** Describes the status of a source for users. */
export function describeStatus(view: StatusView): string {
  const { version, baseUrl = '(none yet)', store, artifacts, dataFolder, documents, server } = view;
  return [
    `Tidemark ${version}`,
    field('Base URL', baseUrl),
    field('Store', store),
    field('Artifacts', artifacts.store),
    ...(artifacts.problem === undefined ? [] : [field('', `unavailable: ${artifacts.problem}`)]),
    field('Data folder', dataFolder),
    ...logFields(view),
    ...shardFields(view),
    ...backupFields(view),
    ...sinkFields(view),
    field('Documents', `${formatCount(documents.kept)} rendered, ${formatBytes(documents.bytes)} on disk`),
    '',
    ...describeServer(server, version),
    ...describeIndices(view),
    '',
    describeSets(view),
  ].join('\n');
}

/** Present when the setting differs from the index of resources. */
function otherShards(store: StoreLocation, indices: readonly StoredIndex[]) {
  if (store.kind === 'sqlite' || store.shards === undefined) return {};
  const resources = indices.find(({ name }) => name.startsWith(`${store.prefix}-resources-`));
  if (resources === undefined || resources.shards === store.shards) return {};
  return { otherShards: { setting: store.shards, index: resources.name, shards: resources.shards } };
}

function shardFields({ otherShards: other }: StatusView): readonly string[] {
  if (other === undefined) return [];
  const { setting, index, shards } = other;
  return [
    field('Shards', `the setting says ${setting}, and ${index} has ${plural(shards, 'shard')}: "tidemark reshard`),
    field('', `${setting}" changes the index; or set TIDEMARK_STORE_SHARDS to ${shards}`),
  ];
}

function describeIndices({ indices = [] }: StatusView): readonly string[] {
  if (indices.length === 0) return [];
  const rows = indices.map(({ name, shards, replicas, documents, bytes }) => {
    return [name, shards, replicas, formatCount(documents), formatBytes(bytes)];
  });
  return ['', formatTable(['INDEX', 'SHARDS', 'REPLICAS', 'DOCUMENTS', 'SIZE'], rows)];
}

function field(name: string, text: string): string {
  return `${name.padEnd(12)} ${text}`;
}

function logFields({ log, sets }: StatusView): readonly string[] {
  if (log === null) return [field('Log', 'the store does not answer any more')];
  const { watermark, commitsWaiting, lagSeconds, resources, changes } = log;
  const upTo = watermark === undefined ? 'empty' : `all applied, up to ${watermark}`;
  const waiting = `${plural(commitsWaiting, 'commit')} not applied yet, the oldest for ${lagSeconds.toFixed(1)} s; readers do not see them`;
  return [
    field('Log', commitsWaiting === 0 ? upTo : waiting),
    field('In total', `${plural(sets.length, 'set')}, ${plural(resources, 'resource')}, ${plural(changes, 'change')}`),
  ];
}

function backupFields({ backup }: StatusView): readonly string[] {
  if (backup === undefined) return [];
  const { folder, kept, last, problem } = backup;
  return [
    field(
      'Backups',
      last === undefined
        ? `none in ${folder} yet`
        : `${kept} in ${folder}, the last good one of ${last.made} (${formatBytes(last.bytes)})`,
    ),
    ...(problem === undefined ? [] : [field('', `failed at ${problem.at}: ${problem.error}`)]),
  ];
}

/** Only what lags. */
function sinkFields({ datasetSinks = [] }: StatusView): readonly string[] {
  return datasetSinks.flatMap(({ sink, behind, waiting }) => {
    if (waiting !== undefined) return [field('Results', `${sink}: waits since ${waiting.since}: ${waiting.reason}`)];
    return behind === 0 ? [] : [field('Results', `${sink}: ${plural(behind, 'result')} of datasets not sent yet`)];
  });
}

function describeServer(server: FoundServer, version: string): readonly string[] {
  switch (server.state) {
    case 'none':
      return [field('Server', 'none answers at the base URL, nor at the address of the settings')];
    case 'refuses':
      return [field('Server', `runs at ${server.url}; to see its figures, set TIDEMARK_TOKEN`)];
    case 'unreadable':
      return [
        field(
          'Server',
          `runs at ${server.url}, and is of version ${server.version}: this command, of version ${version},`,
        ),
        field('', 'cannot read its figures. Use the command of the same version.'),
      ];
    case 'running':
      return [
        field('Server', `runs at ${server.url}, for ${formatDuration(server.status.uptimeSeconds)}`),
        ...(server.status.version === version ? [] : [field('', otherVersion(server.status.version, version))]),
        ...liveFields(server.status),
      ];
  }
}

function otherVersion(server: string, own: string): string {
  return `it is of version ${server}, and this command of version ${own}: there may be figures that are not shown`;
}

function liveFields({ requests, events, cache, pages, scanning, rootsInTrouble }: LiveStatus): readonly string[] {
  const { applied, unchanged, rejected } = events;
  const lines = [
    `${plural(requests.answered, 'request')} (${requests.perSecond.toFixed(1)} a second), ${requests.inFlight} in flight`,
    `${plural(applied, 'event')} applied, ${formatCount(unchanged)} unchanged, ${formatCount(rejected)} rejected (${events.perSecond.toFixed(1)} a second)`,
    `${plural(pages.current, 'page')} current, ${formatCount(pages.outOfDate)} to be rendered on request`,
    `documents came from the cache ${formatCount(cache.hits)} times, and were rendered ${formatCount(cache.misses)} times; the cache takes ${formatBytes(cache.bytes)} of ${formatBytes(cache.mostBytes)}`,
    ...scanning.map(({ set, files, hashed, bytes }) => {
      return `scanning ${set}: ${plural(files, 'file')}, ${formatCount(hashed)} hashed (${formatBytes(bytes)})`;
    }),
    ...(rootsInTrouble === 0 ? [] : [`${plural(rootsInTrouble, 'source')} not answering: see below, and the log`]),
  ];
  return lines.map((line) => field('', line));
}

function describeSets({ sets }: StatusView): string {
  if (sets.length === 0) return 'There is no set.';
  const rows = sets.map(({ set, resources, changes, lastChange = '(none)', ready, trouble, ...rest }) => {
    const state = ready ? 'ready' : 'not complete yet';
    const problem = trouble && `; not in sync since ${trouble.since}: ${trouble.problem}`;
    return [set, resources, changes, lastChange, describeScanner(rest), `${state}${problem ?? ''}`];
  });
  return formatTable(['SET', 'RESOURCES', 'CHANGES', 'LAST CHANGE', 'SCANNED BY', 'STATE'], rows);
}

function describeScanner({ scanner, unread }: Pick<StatusView['sets'][number], 'scanner' | 'unread'>): string {
  // Of a set to which others post.
  if (scanner === undefined) return '';
  if (scanner === null) return '(no server)';
  return unread ? `${scanner} (cannot read it)` : scanner;
}

const UNITS = [
  ['day', 86_400],
  ['hour', 3_600],
  ['minute', 60],
] as const;

function formatDuration(seconds: number): string {
  const [unit, length] = UNITS.find(([, unitLength]) => seconds >= unitLength) ?? ['second', 1];
  return plural(Math.floor(seconds / length), unit);
}
