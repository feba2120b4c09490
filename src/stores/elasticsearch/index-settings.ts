import type { estypes } from '@elastic/elasticsearch';
import type { Cluster } from '../../lib/elasticsearch/cluster.ts';

/** What an index template of the operator decides in place of this program. */
const DECIDED_BY_TEMPLATES = ['number_of_shards', 'number_of_replicas', 'auto_expand_replicas', 'codec'] as const;

/** Searches need it: it is the default of Elasticsearch. */
const WHATEVER_TEMPLATES_SAY = { max_result_window: 10_000 };

/** Who made a template: `_meta` of those of this program. */
export const MADE_BY = { managed_by: 'tidemark' };

type Settings = Readonly<Record<string, unknown>>;
type Template = Pick<estypes.IndicesGetIndexTemplateIndexTemplateItem, 'name' | 'index_template'>;

/**
 * The settings of an index that is to be created. Where the operator has an index template for its name, the template
 * decides shards, replicas and codec, whatever its priority: settings of a request, and a template of this program
 * that has a higher one, would override them.
 */
export async function settingsOfNew(cluster: Cluster, name: string, own: Settings): Promise<Settings> {
  const decided = await decidedByTemplate(cluster, name);
  // A fixed number of replicas has no effect while they are added by themselves.
  const isFixed = decided.number_of_replicas !== undefined;
  return { ...WHATEVER_TEMPLATES_SAY, ...own, ...(isFixed && { auto_expand_replicas: false }), ...decided };
}

async function decidedByTemplate(cluster: Cluster, index: string): Promise<Settings> {
  const name = await templateFor(cluster, index);
  if (name === undefined) return {};
  const simulated = await cluster.ask((client) => client.indices.simulateTemplate({ name }, { ignore: [404] }));
  const settings: Settings = simulated.template?.settings?.index ?? {};
  const decided = DECIDED_BY_TEMPLATES.filter((setting) => settings[setting] !== undefined);
  return Object.fromEntries(decided.map((setting) => [setting, settings[setting]]));
}

/** The name of the operator's template for an index: that of the highest priority. */
async function templateFor(cluster: Cluster, index: string): Promise<string | undefined> {
  const fields = ['index_patterns', 'priority', 'data_stream', '_meta.managed_by'];
  const filter_path = ['name', ...fields.map((field) => `index_template.${field}`)];
  const { index_templates: all = [] } = await cluster.ask((client) =>
    client.indices.getIndexTemplate({ filter_path: filter_path.map((field) => `index_templates.${field}`) }),
  );
  const matching = all.filter((template) => isOperators(template) && matches(template, index));
  return matching.toSorted((a, b) => priorityOf(b) - priorityOf(a))[0]?.name;
}

function isOperators({ index_template: { _meta, data_stream } }: Template): boolean {
  return _meta?.managed_by !== MADE_BY.managed_by && data_stream === undefined;
}

function priorityOf({ index_template: { priority = 0 } }: Template): number {
  return priority;
}

function matches({ index_template: { index_patterns: patterns } }: Template, index: string): boolean {
  return [patterns].flat().some((pattern) => {
    const parts = pattern.split('*').map((part) => part.replace(/[^\w-]/g, '\\$&'));
    return new RegExp(`^${parts.join('.*')}$`).test(index);
  });
}

/** The number of primary shards of each index of an alias, or of several. */
export async function shardsOf(cluster: Cluster, ...aliases: readonly string[]): Promise<readonly number[]> {
  const found = await cluster.ask((client) =>
    client.indices.getSettings({ index: [...aliases], name: 'index.number_of_shards' }),
  );
  return Object.values(found).map(({ settings }) => Number(settings?.index?.number_of_shards));
}
