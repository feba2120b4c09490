import type { ArtifactStore, ObjectKey } from '../../artifacts/artifact-store.ts';
import { DATASETS_FOLDER } from '../../artifacts/keys/dataset-keys.ts';
import type { SetRegistry } from '../../sets/set-registry.ts';
import type { Catalog, CatalogKind } from '../../stores/catalog.ts';
import { latestPages } from '../../stores/latest-pages.ts';
import type { Dataset } from '../dataset.ts';
import type { RequestDocument } from '../request.ts';
import { readManifest } from './manifests.ts';
import { REQUEST_KIND } from './requests.ts';

/**
 * A week: longer than a file may take. An attempt may take longer, and stores one file after the other meanwhile. After
 * restoring a store from an older archive, operators have this time to notice that it lacks datasets.
 */
const LEFT_AFTER_MS = 7 * 86_400_000;
const PAGE = 250;
const STAMPS_PER_MS = 1_000;

interface Parts {
  readonly catalog: Pick<Catalog, 'latest'>;
  readonly artifacts: Pick<ArtifactStore, 'get' | 'list' | 'folders' | 'delete'>;
  readonly sets: Pick<SetRegistry, 'list'>;
}

/**
 * Removes artifacts that no dataset names, and no result: of killed processes, of attempts that failed, and of datasets
 * that were taken out. Returns how many.
 */
export async function removeUnused(parts: Parts, signal: AbortSignal): Promise<number> {
  const { artifacts } = parts;
  const since = await knownSince(parts);
  if (since === undefined) return 0;
  const folders = await artifacts.folders(DATASETS_FOLDER);
  const before = Date.now() - LEFT_AFTER_MS;
  const manifests = await namedManifests(parts.catalog, before);
  let removed = 0;
  for (const folder of folders) {
    signal.throwIfAborted();
    const old = await oldFiles(artifacts, `${DATASETS_FOLDER}${folder}/`, { since, before });
    const named = old.size === 0 ? new Set() : await namedFiles(artifacts, manifests.get(folder) ?? []);
    // Without a manifest it is not known what it names.
    if (named === undefined) continue;
    for (const key of old) {
      if (named.has(key)) continue;
      signal.throwIfAborted();
      await artifacts.delete(key);
      removed += 1;
    }
  }
  return removed;
}

/**
 * When the first set of datasets was made, in milliseconds since 1970: older files are of another store, which was
 * lost, or uses the same place by mistake. Undefined without such a set.
 */
async function knownSince({ sets }: Parts): Promise<number | undefined> {
  const made = (await sets.list()).flatMap(({ origin, epochStart }) =>
    origin.kind === 'datasets' ? [epochStart] : [],
  );
  return made.length === 0 ? undefined : Math.min(...made) / STAMPS_PER_MS;
}

/** The manifests that documents name, by folder. */
async function namedManifests(catalog: Parts['catalog'], before: number): Promise<ReadonlyMap<string, ObjectKey[]>> {
  const named = new Map<string, ObjectKey[]>();
  const add = (key: ObjectKey | undefined) => {
    const folder = key?.slice(DATASETS_FOLDER.length).split('/')[0];
    if (folder !== undefined) named.set(folder, [...(named.get(folder) ?? []), key!]);
  };
  for await (const { removed = Number.POSITIVE_INFINITY, manifest } of bodies<Dataset>(catalog, 'dataset')) {
    if (removed > before) add(manifest.artifact);
  }
  for await (const { result } of bodies<RequestDocument>(catalog, REQUEST_KIND)) {
    if (result?.hit === false) add(result.manifest);
  }
  return named;
}

async function* bodies<Body>(catalog: Parts['catalog'], kind: CatalogKind): AsyncGenerator<Body> {
  for await (const { documents } of latestPages<Body>(catalog, { kind, prefix: '', limit: PAGE })) {
    yield* documents.map(({ body }) => body);
  }
}

/** The manifests, and what is stored of their files. Undefined when one of them is missing. */
async function namedFiles(
  artifacts: Pick<ArtifactStore, 'get'>,
  manifests: readonly ObjectKey[],
): Promise<ReadonlySet<ObjectKey> | undefined> {
  const named = new Set<ObjectKey>(manifests);
  for (const key of manifests) {
    const manifest = await readManifest(artifacts, key);
    if (manifest === undefined) return undefined;
    const bundle = 'bundle' in manifest ? [manifest.bundle] : [];
    for (const file of [...manifest.files, ...bundle]) if (file?.stored !== undefined) named.add(file.stored.artifact);
  }
  return named;
}

/** None while there are newer ones: an attempt may be under way, which uses them. */
async function oldFiles(
  artifacts: Pick<ArtifactStore, 'list'>,
  folder: string,
  { since, before }: { readonly since: number; readonly before: number },
): Promise<Set<ObjectKey>> {
  const old = new Set<ObjectKey>();
  for await (const batch of artifacts.list(folder)) {
    for (const { key, modified } of batch) {
      if (modified >= before) return new Set();
      if (modified >= since) old.add(key);
    }
  }
  return old;
}
