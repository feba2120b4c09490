import { formatKey, parseKey } from './artifact-key.ts';
import type { ArtifactStore, ListedObject, ObjectKey } from './artifact-store.ts';
import { type Activity, isProvider } from './keys/activity.ts';
import { type AvroKey, parseAvroKey } from './keys/avro-key.ts';
import { parseTimestamp } from './timestamp.ts';

/** An Avro file with a provenance, that is, a complete artifact. */
export interface FoundArtifact extends AvroKey {
  readonly key: ObjectKey;
  /** Bytes. */
  readonly length: number;
}

interface ArtifactFilter {
  readonly provider?: string | undefined;
  readonly activity?: Activity | undefined;
  readonly schema?: FoundArtifact['schema'] | undefined;
}

type Reads = Pick<ArtifactStore, 'list' | 'folders' | 'objects'>;

/**
 * The schema of a file beside a run's own file, with the same timestamp: it lists deleted records, and is not a state
 * of the provider.
 */
export const COMPANION: FoundArtifact['schema'] = 'DeletedRecord.v1';
/** Number of providers that are searched concurrently. */
const AT_ONCE = 16;

/** Yields all complete artifacts, including those of deleted records, ascending by the bytes of their keys. */
export async function* listArtifacts(store: Reads, filter: ArtifactFilter = {}): AsyncGenerator<FoundArtifact> {
  const { provider, activity, schema } = filter;
  for await (const found of completeOnes(store.list(prefixOf(filter)))) {
    if (provider !== undefined && found.provider !== provider) continue;
    if (activity !== undefined && found.activity !== activity) continue;
    if (schema === undefined || found.schema === schema) yield found;
  }
}

interface LatestOptions {
  readonly provider: string;
  readonly activity: Activity;
  /** Any schema except that of deleted records, if undefined. */
  readonly schema?: FoundArtifact['schema'] | undefined;
  /** Finds the newest run that began at this time or before. */
  readonly before?: Date | undefined;
}

/**
 * Finds the newest complete artifact of an activity, by its timestamp. Searches the folders of dates backwards until
 * one has some.
 */
export async function latestArtifact(store: Reads, options: LatestOptions): Promise<FoundArtifact | undefined> {
  const { provider, activity, before } = options;
  const folder = `${provider}/${activity}/`;
  const latest = before?.getTime() ?? Number.POSITIVE_INFINITY;
  const isWanted = ({ schema, start }: AvroKey) =>
    (options.schema === undefined ? schema !== COMPANION : schema === options.schema) && start.getTime() <= latest;
  // Some files are not in the folder of a date: the newest of them is compared with the newest of the dates.
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

/** The newest artifact of each provider that has one, ascending by provider. */
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

/** Finds an artifact by its key; undefined unless it exists with its provenance. */
export async function findArtifact(store: ArtifactStore, key: ObjectKey): Promise<FoundArtifact | undefined> {
  const name = parseAvroKey(key);
  if (name === undefined) return undefined;
  const [file, provenance] = await Promise.all([
    store.head(key),
    store.head(formatKey({ kind: 'provenance', of: key })),
  ]);
  return file === undefined || provenance === undefined ? undefined : { ...name, key, length: file.length };
}

function prefixOf({ provider, activity }: ArtifactFilter): string {
  if (provider === undefined) return '';
  return activity === undefined ? `${provider}/` : `${provider}/${activity}/`;
}

/** In key order, `…-prov.json` precedes `….avro`. */
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

/** The newer one; of two with the same second, the one with the later key. */
function newer(one: FoundArtifact, other: FoundArtifact | undefined): FoundArtifact {
  if (other === undefined) return one;
  const difference = one.start.getTime() - other.start.getTime();
  return difference > 0 || (difference === 0 && one.key > other.key) ? one : other;
}
