import { readFileSync } from 'node:fs';
import type { estypes } from '@elastic/elasticsearch';
import { TidemarkError } from '../../core/errors.ts';
import type { Cluster } from '../../lib/elasticsearch/cluster.ts';
import { causeOf } from '../../lib/elasticsearch/faults.ts';
import { concrete, type IndexNames } from './index-names.ts';
import { MADE_BY, settingsOfNew, shardsOf } from './index-settings.ts';

/**
 * The schema that this version reads and writes. `_meta.schema_version` of each index has the version of that index.
 * mappings/README.md lists the changes of each version.
 */
export const SCHEMA_VERSION = 7;

/** The first schema that indexes all current fields. */
const INDEXES_ALL_FIELDS = 3;

/** The first schema in which the log consists of segments. */
const HAS_SEGMENTS = 7;

/**
 * Elasticsearch cannot index a field of an index that already has documents. In older indices, these are runtime
 * fields: searches read them from each document.
 */
const READ_WHEN_SEARCHED = { hash: { type: 'keyword' }, 'location.type': { type: 'keyword' } } as const;

/** Time limit for allocating a primary shard of each index. */
export const ACTIVE_WITHIN = '10s';

type IndexBody = Template & Pick<estypes.IndicesCreateRequest, 'aliases'>;

const KINDS = ['log', 'resources', 'changes', 'ledgers', 'catalog', 'jobs'] as const;
type IndexKind = (typeof KINDS)[number];

/** Kinds of one index or more that have as many shards as the setting says. */
const SHARDED: readonly IndexKind[] = ['resources', 'changes'];

type Found = estypes.IndicesIndexState;

interface Template {
  readonly settings: { readonly index: Readonly<Record<string, unknown>> };
  readonly mappings: estypes.MappingTypeMapping & { readonly properties: object };
}

interface FoundIndex {
  readonly kind: IndexKind;
  readonly name: string;
  readonly version: number;
  /** Its documents were written before all current fields were indexed: see READ_WHEN_SEARCHED. */
  readonly readsWhenSearched: boolean;
}

/**
 * Creates missing indices, and their templates.
 * @param shards primary shards of a new index of resources or changes
 * @throws TidemarkError `incompatible` when existing indices cannot be used by this version, or belong to another
 * program
 */
export async function prepareIndices(cluster: Cluster, names: IndexNames, shards = 1): Promise<void> {
  await requireVersion(cluster);
  const missing = await missingKinds(cluster, names);
  await Promise.all(missing.map((kind) => makeIndex(cluster, names, kind, shards)));
  const [still] = missing.length === 0 ? [] : await missingKinds(cluster, names);
  if (still !== undefined) {
    const alias = names[still];
    throw unusable(`there is an index ${concrete(alias, 1)} that the alias ${alias} does not point to: add it, or`);
  }
  await requireActive(cluster, names);
}

/** Whether an index has one of the names. Opening the store says what is wrong when it is not ours, or has no alias. */
export async function hasIndices(cluster: Cluster, names: IndexNames): Promise<boolean> {
  await requireVersion(cluster);
  const aliases = KINDS.map((kind) => names[kind]);
  const index = [names.prefix, ...aliases, ...aliases.map((alias) => concrete(alias, 1))];
  const found = await cluster.ask((client) =>
    client.indices.get({ index, ignore_unavailable: true, features: ['aliases'] }),
  );
  return Object.keys(found).length > 0;
}

/**
 * Migrates existing indices to the schema of this version, and returns the oldest version among them. Each index is
 * migrated separately, so an interrupted migration can be continued.
 * @throws TidemarkError as `prepareIndices`
 */
export async function migrateIndices(cluster: Cluster, names: IndexNames): Promise<number> {
  await requireVersion(cluster);
  const found = await findIndices(cluster, names);
  const older = KINDS.flatMap((kind) => indicesOf(found, names, kind)).filter(
    ({ version }) => version < SCHEMA_VERSION,
  );
  for (const kind of new Set(older.map(({ kind }) => kind))) {
    const [shards] = found.size === 0 ? [] : await shardsOf(cluster, names[kind]);
    await putTemplate(cluster, names, kind, shards);
  }
  for (const index of older) {
    await addAliases(cluster, names, index);
    await cluster.ask((client) => client.indices.putMapping({ index: index.name, ...laterMapping(index) }));
  }
  return Math.min(SCHEMA_VERSION, ...older.map(({ version }) => version));
}

/** Adds what schema 7 needs, for segments of the log and the fence. Before the mappings, which say that it is there. */
async function addAliases(cluster: Cluster, names: IndexNames, { kind, name: index }: FoundIndex): Promise<void> {
  if (kind === 'log') await cluster.ask((client) => client.indices.putAlias({ index, name: names.logSegment(1) }));
  if (isFenced(kind)) await cluster.ask((client) => client.indices.putAlias({ index, name: names.pause(0) }));
}

/**
 * The current mapping for an index of an older schema. Each schema has all fields of the previous one unchanged, except
 * those.
 */
function laterMapping({ kind, readsWhenSearched }: FoundIndex): estypes.MappingTypeMapping {
  const { mappings } = readMapping(kind);
  if (!readsWhenSearched) return mappings;
  const { hash: _, location: __, ...properties } = mappings.properties;
  return { ...mappings, properties, runtime: READ_WHEN_SEARCHED };
}

async function missingKinds(cluster: Cluster, names: IndexNames): Promise<readonly IndexKind[]> {
  const found = await findIndices(cluster, names);
  const missing = KINDS.filter((kind) => {
    const versions = indicesOf(found, names, kind).map(({ version }) => version);
    const oldest = Math.min(...versions);
    if (oldest < SCHEMA_VERSION) throw needsMigration(names, oldest);
    return versions.length === 0;
  });
  if (missing.length > 0) requireOwnAlias(found, names);
  return missing;
}

/**
 * If an index of another program had the alias of all indices, searches would include it, and the program could no
 * longer write through the alias.
 */
function requireOwnAlias(found: ReadonlyMap<string, Found>, { prefix, resources, changes }: IndexNames): void {
  for (const [name, { aliases = {} }] of found) {
    if (!(prefix in aliases) || resources in aliases || changes in aliases) continue;
    throw unusable(`the alias ${prefix} points to the index ${name}, which this program has not created;`);
  }
}

function needsMigration({ prefix }: IndexNames, version: number): TidemarkError {
  return new TidemarkError(
    'incompatible',
    `the indices ${prefix}-* have schema ${version}, this program needs ${SCHEMA_VERSION}: stop all processes that use them, take a snapshot, and run "tidemark migrate"`,
    { version, needed: SCHEMA_VERSION },
  );
}

function unusable(message: string): TidemarkError {
  return new TidemarkError('incompatible', `${message} choose other names with TIDEMARK_INDEX_PREFIX`);
}

/** Another process may just have created them: an index is visible before it can be searched. */
async function requireActive(cluster: Cluster, names: IndexNames): Promise<void> {
  const index = KINDS.map((kind) => names[kind]);
  const primaries = (await shardsOf(cluster, ...index)).reduce((sum, shards) => sum + shards, 0);
  const request = {
    index,
    // An index is yellow even while its primary shards are being allocated.
    wait_for_status: 'yellow',
    wait_for_active_shards: primaries,
    timeout: ACTIVE_WITHIN,
    filter_path: 'status',
  } as const;
  const { status } = await cluster.ask((client) => client.cluster.health(request, { ignore: [408] }));
  if (status !== 'red') return;
  throw new TidemarkError(
    'unavailable',
    `Elasticsearch at ${cluster.name} has no node that holds all of ${names.prefix}-*: see GET _cluster/allocation/explain`,
  );
}

async function requireVersion(cluster: Cluster): Promise<void> {
  const { nodes } = await cluster.ask((client) => client.nodes.info({ filter_path: 'nodes.*.version' }));
  for (const { version } of Object.values(nodes ?? {})) {
    const major = Number(version.split('.')[0]);
    if (major === 8 || major === 9) continue;
    throw new TidemarkError(
      'incompatible',
      `Elasticsearch at ${cluster.name} has version ${version}: this program works with 8 and 9`,
    );
  }
}

async function findIndices(cluster: Cluster, names: IndexNames): Promise<ReadonlyMap<string, Found>> {
  const indices = await cluster.ask((client) =>
    client.indices.get({
      index: [names.prefix, ...KINDS.map((kind) => names[kind])],
      ignore_unavailable: true,
      features: ['aliases', 'mappings', 'settings'],
      filter_path: '*.aliases,*.mappings._meta,*.mappings.runtime,*.mappings._source,*.settings.index.mapping.source',
    }),
  );
  return new Map(Object.entries(indices));
}

/**
 * The indices of a kind with their schemas; empty if there are none.
 * @throws TidemarkError `incompatible` for indices that can be neither used nor migrated
 */
function indicesOf(found: ReadonlyMap<string, Found>, names: IndexNames, kind: IndexKind): readonly FoundIndex[] {
  const refuse = (message: string) => unusable(`${message};`);
  if (found.has(names.prefix))
    throw refuse(
      `there is an index ${names.prefix}, where an alias of this program is to be (docs/posting-changes.md says how to take over such an index)`,
    );
  const alias = names[kind];
  if (found.has(alias)) throw refuse(`there is an index ${alias} that this program has not made`);
  const indices = [...found].filter(([, { aliases }]) => alias in (aliases ?? {}));
  const isSegment = ({ aliases = {} }: Found) => Object.keys(aliases).some((name) => names.segmentOf(name) > 0);
  const mayBeMany = kind === 'changes' || (kind === 'log' && indices.every(([, index]) => isSegment(index)));
  if (indices.length > 1 && !mayBeMany) {
    throw refuse(
      `the alias ${alias} points to ${indices.map(([name]) => name).join(' and ')}: it must point to one index`,
    );
  }
  return indices.map(([name, index]) => {
    const { mappings, settings } = index;
    if (mappings?._source?.enabled === false || settings?.index?.mapping?.source?.mode === 'disabled') {
      throw unusable(
        `the index ${name} keeps no _source, which this program reads: change the index template that turns it off, and remove the indices that it was used for, or`,
      );
    }
    const version = mappings?._meta?.schema_version;
    if (typeof version !== 'number') throw refuse(`the index ${name} has a mapping that this program has not made`);
    if (kind === 'log' && version >= HAS_SEGMENTS && !isSegment(index)) {
      throw refuse(
        `the index ${name} has no alias as a segment of the log, such as ${names.logSegment(1)}: add it, or`,
      );
    }
    const hasFields = kind === 'resources' || kind === 'changes';
    const readsWhenSearched = hasFields && (version < INDEXES_ALL_FIELDS || mappings?.runtime !== undefined);
    if (version <= SCHEMA_VERSION) return { kind, name, version, readsWhenSearched };
    throw refuse(`the index ${name} has schema ${version}, and this version knows ${SCHEMA_VERSION}: use a newer one`);
  });
}

/** Whether the writes to an index are blocked during a pause: see write-block.ts. */
function isFenced(kind: IndexKind): boolean {
  return kind === 'catalog' || kind === 'jobs';
}

async function makeIndex(cluster: Cluster, names: IndexNames, kind: IndexKind, shardsOfNew: number): Promise<void> {
  const alias = names[kind];
  const isShared = SHARDED.includes(kind);
  const shards = isShared ? shardsOfNew : undefined;
  const mapping = readMapping(kind, shards);
  await putTemplate(cluster, names, kind, shards);
  await createIndex(cluster, concrete(alias, 1), {
    ...mapping,
    aliases: {
      [alias]: {},
      ...(isShared && { [names.prefix]: {} }),
      ...(kind === 'log' && { [names.logSegment(1)]: {} }),
      ...(isFenced(kind) && { [names.pause(0)]: {} }),
    },
  });
}

/** Gives the right mapping to an index that is created manually (a restored snapshot, a reindex). */
export async function putTemplate(
  cluster: Cluster,
  names: IndexNames,
  kind: IndexKind,
  shards?: number,
): Promise<void> {
  const alias = names[kind];
  const template = readMapping(kind, shards);
  const body = { index_patterns: [`${alias}-*`], priority: 500, template, _meta: MADE_BY };
  await cluster.ask((client) => client.indices.putIndexTemplate({ name: alias, ...body }));
}

/**
 * Creates an index, unless it exists.
 * @param fixed the number of shards, where no template decides it
 * @throws TidemarkError `unavailable` or `incompatible` when that is refused
 */
export async function createIndex(
  cluster: Cluster,
  name: string,
  body: IndexBody,
  fixed?: { readonly shards: number },
): Promise<void> {
  const decided = await settingsOfNew(cluster, name, body.settings.index);
  const settings = { index: { ...decided, ...(fixed && { number_of_shards: fixed.shards }) } };
  // A template of another program may match the name, and turn it off.
  const mappings = { ...body.mappings, _source: { enabled: true } };
  const { statusCode, body: response } = await cluster.ask((client) =>
    client.indices.create(
      { index: name, ...body, settings, mappings, wait_for_active_shards: 1, timeout: ACTIVE_WITHIN },
      { ignore: [400], meta: true },
    ),
  );
  if (statusCode === 200) return;
  const { type, reason } = causeOf(response);
  if (type === 'resource_already_exists_exception') return;
  // Of what may be wrong here, Elasticsearch validates only the number of shards in the cluster.
  const isFull = type === 'validation_exception' || type === 'illegal_argument_exception';
  const advice = isFull ? ': remove indices that are no longer needed, or raise cluster.max_shards_per_node' : '';
  throw new TidemarkError(
    isFull ? 'unavailable' : 'incompatible',
    `Elasticsearch at ${cluster.name} does not make the index ${name}: ${reason}${advice}`,
  );
}

/** Reads a template of `mappings/`, which is beside `src/` and, in the package, beside `dist/`. */
export function readMapping(kind: IndexKind, shards?: number): Template {
  const file = readFileSync(new URL(`../../../mappings/${kind}.json`, import.meta.url), 'utf8');
  const { settings, mappings }: Template = JSON.parse(file);
  return { settings: { index: { ...settings.index, ...(shards && { number_of_shards: shards }) } }, mappings };
}
