import { formatKey, parseKey } from './artifact-key.ts';
import type { ArtifactStore, ListedObject, ObjectKey } from './artifact-store.ts';
import { type Activity, isActivity, isProvider } from './keys/activity.ts';
import { type AvroKey, parseAvroKey } from './keys/avro-key.ts';
import { PLAN_FOLDER } from './keys/run-keys.ts';
import { parseTimestamp } from './timestamp.ts';

/** An Avro file whose provenance is there. */
export interface FoundArtifact extends AvroKey {
  readonly key: ObjectKey;
  /** Bytes. */
  readonly length: number;
}

export interface ArtifactFilter {
  readonly provider?: string | undefined;
  readonly activity?: Activity | undefined;
  readonly schema?: FoundArtifact['schema'] | undefined;
}

type Reads = Pick<ArtifactStore, 'list' | 'folders' | 'objects'>;

/**
 * Written beside a run's own file, with the same timestamp: it lists what was deleted, and is no state of the provider.
 */
export const COMPANION: FoundArtifact['schema'] = 'DeletedRecord.v1';
/** How many providers are searched at a time. */
const AT_ONCE = 16;

/** Every complete artifact, ascending by the bytes of the keys; also those of deleted records. */
export async function* listArtifacts(store: Reads, filter: ArtifactFilter = {}): AsyncGenerator<FoundArtifact> {
  const { provider, activity, schema } = filter;
  for await (const found of completeOnes(store.list(prefixOf(filter)))) {
    if (provider !== undefined && found.provider !== provider) continue;
    if (activity !== undefined && found.activity !== activity) continue;
    if (schema === undefined || found.schema === schema) yield found;
  }
}

export interface LatestOptions {
  readonly provider: string;
  readonly activity: Activity;
  /** Any but that of deleted records unless given. */
  readonly schema?: FoundArtifact['schema'] | undefined;
  /** The newest that began at this time or before. */
  readonly before?: Date | undefined;
}

/** The newest complete artifact of an activity, by its timestamp; walks the dates backwards until there is one. */
export async function latestArtifact(store: Reads, options: LatestOptions): Promise<FoundArtifact | undefined> {
  const { provider, activity, before } = options;
  const folder = `${provider}/${activity}/`;
  const latest = before?.getTime() ?? Number.POSITIVE_INFINITY;
  const isWanted = ({ schema, start }: AvroKey) =>
    (options.schema === undefined ? schema !== COMPANION : schema === options.schema) && start.getTime() <= latest;
  // Files without the folder of their date are here: newer ones than the first date's end it.
  const [dates, flat] = await Promise.all([
    store.folders(folder),
    store.objects(folder).then((objects) => newestOf(completeOnes([objects]), isWanted)),
  ]);
  for (const date of dates.toReversed()) {
    const begins = parseTimestamp(`${date}_000000`)?.getTime();
    if (begins === undefined || begins > latest) continue;
    const found = await newestOf(completeOnes(store.list(`${folder}${date}/`)), isWanted);
    if (found !== undefined) return newer(found, flat);
  }
  return flat;
}

/** The newest of each provider that has one, ascending by provider. */
export async function latestOfAll(
  store: Reads,
  options: Omit<LatestOptions, 'provider'>,
): Promise<readonly FoundArtifact[]> {
  const providers = (await store.folders('')).filter(isProvider);
  const found: (FoundArtifact | undefined)[] = [];
  for (let at = 0; at < providers.length; at += AT_ONCE) {
    const some = providers.slice(at, at + AT_ONCE);
    found.push(...(await Promise.all(some.map((provider) => latestArtifact(store, { ...options, provider })))));
  }
  return found.filter((artifact) => artifact !== undefined);
}

/** Whether an artifact is there, with its provenance. */
export async function findArtifact(store: ArtifactStore, key: ObjectKey): Promise<FoundArtifact | undefined> {
  const name = parseAvroKey(key);
  if (name === undefined) return undefined;
  const [file, provenance] = await Promise.all([
    store.head(key),
    store.head(formatKey({ kind: 'provenance', of: key })),
  ]);
  return file === undefined || provenance === undefined ? undefined : { ...name, key, length: file.length };
}

/** The activities of a provider that there are folders for, without the plans. */
export async function activitiesOf(store: Reads, provider: string): Promise<readonly Activity[]> {
  return (await store.folders(`${provider}/`)).filter((name) => name !== PLAN_FOLDER).filter(isActivity);
}

function prefixOf({ provider, activity }: ArtifactFilter): string {
  if (provider === undefined) return '';
  return activity === undefined ? `${provider}/` : `${provider}/${activity}/`;
}

/** In the order of the keys, `…-prov.json` comes before `….avro`. */
async function* completeOnes(
  batches: AsyncIterable<readonly ListedObject[]> | Iterable<readonly ListedObject[]>,
): AsyncGenerator<FoundArtifact> {
  let provenances = new Set<ObjectKey>();
  let folder = '';
  for await (const batch of batches) {
    for (const { key, length } of batch) {
      const within = key.slice(0, key.lastIndexOf('/') + 1);
      if (within !== folder) {
        folder = within;
        provenances = new Set();
      }
      const name = parseKey(key);
      if (name?.kind === 'provenance') provenances.add(name.of);
      if (name?.kind === 'avro' && provenances.delete(key)) yield { ...name, key, length };
    }
  }
}

async function newestOf(
  artifacts: AsyncIterable<FoundArtifact>,
  isWanted: (name: AvroKey) => boolean,
): Promise<FoundArtifact | undefined> {
  let newest: FoundArtifact | undefined;
  for await (const artifact of artifacts) if (isWanted(artifact)) newest = newer(artifact, newest);
  return newest;
}

/** Of two of one second, the one whose key comes later. */
function newer(one: FoundArtifact, other: FoundArtifact | undefined): FoundArtifact {
  if (other === undefined) return one;
  const difference = one.start.getTime() - other.start.getTime();
  return difference > 0 || (difference === 0 && one.key > other.key) ? one : other;
}
