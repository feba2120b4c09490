import { AppMetrics } from './app-metrics.ts';

interface Described {
  readonly name: string;
  readonly help: string;
  readonly type: string;
  readonly labelNames: readonly string[];
}

/** The table of metrics in docs/monitoring.md, made from a scrape. */
export function metricsReference(): string {
  const metrics = new AppMetrics('sqlite');
  metrics.aroundRender(() => Promise.reject(new Error('nothing is rendered')));
  metrics.watch(NOTHING);
  const rows = metrics.registry.getMetricsAsArray().map((metric) => {
    const { name, help, type, labelNames } = metric as unknown as Described;
    const labels = labelNames.filter((label) => label !== 'le').map((label) => `\`${label}\``);
    return { name, row: `| \`${name}\` | ${type} | ${labels.join(', ')} | ${help} |` };
  });
  rows.sort((a, b) => (a.name < b.name ? -1 : 1));
  return ['| metric | type | labels | meaning |', '|---|---|---|---|', ...rows.map(({ row }) => row)].join('\n');
}

/** A source without values. */
const NOTHING: Parameters<AppMetrics['watch']>[0] = {
  gauge: {
    progress: async () => ({ logged: 0, applied: 0, waiting: 0, waitingSince: undefined }),
    totals: async () => ({ resources: 0, changes: 0 }),
    indices: async () => [],
  },
  sets: { list: async () => [], knownRemoved: () => [] },
  publishing: {
    cache: { figures: () => ({ documents: 0, bytes: 0, mostBytes: 0, hits: 0, misses: 0 }) },
    publisher: { countPages: async () => ({ current: 0, outOfDate: 0 }) },
  },
  artifactHealth: { problem: async () => undefined },
  artifactChecks: { known: async () => ({ shares: [], damaged: [] }) },
  catalog: { list: async () => [] },
  configuration: { verifyArtifactsDays: Number.POSITIVE_INFINITY, backupSchedule: 'off' },
  backup: { state: async () => undefined },
  records: { overview: { read: async () => [] } },
  jobs: { queue: { counts: async () => [] } },
  scanners: { figures: async () => ({ own: 0, unread: 0 }) },
  notifications: { subscriptions: { list: async () => [] }, deliverer: { oldestUnsent: undefined } },
};
