import { text } from 'node:stream/consumers';
import { z } from 'zod';
import { formatKey, parseKey } from '../../artifacts/artifact-key.ts';
import type { ArtifactStore, ObjectKey } from '../../artifacts/artifact-store.ts';
import { listArtifacts } from '../../artifacts/find-artifacts.ts';
import { parseJson } from '../../artifacts/json-object.ts';
import { isProvider } from '../../artifacts/keys/activity.ts';
import { ARCHIVE_FOLDER, isChainId, segmentsFolder } from '../../artifacts/keys/log-keys.ts';
import { keptListsFolder, versionsFolder } from '../../artifacts/keys/set-keys.ts';
import { isTidemarkError } from '../../core/errors.ts';
import type { ResourceSet } from '../../core/resource-set.ts';
import { readArchive } from '../../publish/archives/stored-archive.ts';
import { readChangeDump } from '../../publish/dumps/stored-change-dump.ts';
import { type Package, readDump } from '../../publish/dumps/stored-dump.ts';
import { parseUploadId, type Upload, type UploadedFile } from '../../records/arrivals/upload.ts';
import { filesOf, type UploadState } from '../../records/arrivals/upload-state.ts';
import { isListed, type StreamDump } from '../../records/dumps/stored-stream-dump.ts';
import type { SetRegistry } from '../../sets/set-registry.ts';
import type { Catalog, CatalogKind } from '../../stores/catalog.ts';
import { latestPages } from '../../stores/latest-pages.ts';
import type { KnownArtifact } from './known-artifact.ts';
import { datasetFiles } from './known-datasets.ts';

export interface KnownArtifactsParts {
  readonly artifacts: Pick<ArtifactStore, 'get' | 'list' | 'folders' | 'objects'>;
  readonly catalog: Catalog;
  readonly sets: Pick<SetRegistry, 'list'>;
}

/** Number of documents that are read at a time. */
const PAGE = 250;
const RESTORE = 'restore it from a backup of the artifact store';
const PACKAGES = z.object({ packages: z.array(z.object({ name: z.string(), sha256: z.string() })) });

/** Yields all stored artifacts that can be compared with something. Memory does not grow with their number. */
export async function* knownArtifacts(parts: KnownArtifactsParts): AsyncGenerator<KnownArtifact> {
  for (const set of await parts.sets.list()) {
    yield* packagesOf(parts, set);
    yield* keptObjectsOf(parts, set);
  }
  yield* uploadedFiles(parts.catalog);
  yield* streamDumpFiles(parts.catalog);
  yield* datasetFiles(parts);
  yield* segments(parts.artifacts);
  yield* avroFiles(parts.artifacts);
}

async function* packagesOf({ artifacts, catalog }: KnownArtifactsParts, set: ResourceSet) {
  const { id, slug, epoch } = set;
  const build = `run "tidemark dumps remove ${slug}" and "tidemark dumps build ${slug}", or ${RESTORE}`;
  const dump = (await readDump(catalog, id))?.body.published;
  const packages: Pick<Package, 'name' | 'sha256'>[] = dump?.epoch === epoch ? [...dump.packages] : [];
  yield* packages.map(({ name, sha256 }) => ({
    key: formatKey({ kind: 'package', set: id, name }),
    expected: { sha256 },
    what: `a package of the Resource Dump of ${slug}`,
    remedy: build,
  }));
  const changes = (await readChangeDump(catalog, id))?.body;
  yield* (changes?.epoch === epoch ? changes.packages : []).map(({ name, sha256 }) => ({
    key: formatKey({ kind: 'change-package', set: id, name }),
    expected: { sha256 },
    what: `a package of the Change Dump of ${slug}`,
    remedy: build,
  }));
  yield* archivedPackages({ artifacts, catalog }, set, new Set(packages.map(({ name }) => name)));
}

/** The packages of archived dumps. Several dumps may have the same ones. */
async function* archivedPackages(
  { artifacts, catalog }: Pick<KnownArtifactsParts, 'artifacts' | 'catalog'>,
  { id, slug, epoch }: ResourceSet,
  known: Set<string>,
) {
  const archive = (await readArchive(catalog, id))?.body;
  for (const { name: list } of (archive?.epoch === epoch ? archive.dumps : undefined) ?? []) {
    const key = formatKey({ kind: 'kept-dump', set: id, name: list });
    for (const { name, sha256 } of await packagesIn(artifacts, key)) {
      if (known.has(name)) continue;
      known.add(name);
      const what = `a package of an archived Resource Dump of ${slug}`;
      yield { key: formatKey({ kind: 'package', set: id, name }), expected: { sha256 }, what, remedy: RESTORE };
    }
  }
}

/** None where the list is damaged, missing or unreadable: it is yielded itself, and found to be so. */
async function packagesIn(artifacts: KnownArtifactsParts['artifacts'], key: ObjectKey) {
  try {
    // Of any size: it names each package.
    return parseJson(key, await text((await artifacts.get(key)).body), PACKAGES).packages;
  } catch (error) {
    const isUnreadable = isTidemarkError(error, 'unavailable');
    if (!isUnreadable && !isTidemarkError(error, 'invalid') && !isTidemarkError(error, 'not-found')) throw error;
    // Fails when it is the store that does not answer.
    if (isUnreadable) await artifacts.folders('');
    return [];
  }
}

/** Kept versions and archived lists. */
async function* keptObjectsOf({ artifacts }: KnownArtifactsParts, { id, slug }: ResourceSet) {
  const version = { what: `a version of a resource of ${slug}`, remedy: RESTORE };
  const list = { what: `a part of an archived list of ${slug}`, remedy: RESTORE };
  for (const folder of [versionsFolder(id), keptListsFolder(id)]) {
    for await (const objects of artifacts.list(folder)) {
      for (const { key } of objects) {
        const parsed = parseKey(key);
        if (parsed?.kind === 'version') yield { key, expected: { sha256: parsed.digest }, ...version };
        else if (parsed?.kind === 'version-pack') yield { key, expected: 'pack', ...version } as const;
        else if (parsed?.kind === 'kept-page') yield { key, expected: 'checksum', ...list } as const;
        else if (parsed !== undefined) yield { key, expected: 'json', ...list } as const;
      }
    }
  }
}

async function* uploadedFiles(catalog: Catalog) {
  const described = (name: string, { name: file, artifact, sha256 }: UploadedFile) => ({
    key: artifact,
    expected: { sha256 },
    what: `the file ${JSON.stringify(file)} of the upload ${name}`,
    remedy: `upload it again, or ${RESTORE}`,
  });
  for await (const { documents, before } of latestPages<Upload>(catalog, { kind: 'upload', prefix: '', limit: PAGE })) {
    const states = await catalog.latest<UploadState>('upload-state', '', { before, limit: PAGE });
    const stateOf = new Map(states.map(({ id, body }) => [id, body]));
    for (const { id, body } of documents) {
      const state = stateOf.get(id);
      const hasOriginals = state?.originalsRemoved === undefined;
      if (hasOriginals) for (const file of filesOf(body, state)) yield described(nameOfUpload(id), file);
      const isKept = state?.removed === undefined && state?.replaced === undefined;
      if (isKept) yield* readingOf(nameOfUpload(id), state?.read);
    }
  }
}

/** What was made of an upload when it was read: its records are published from there. */
function* readingOf(name: string, read: UploadState['read']) {
  if (read === undefined) return;
  const { records, recordsSha256, errata, errataSha256 } = read;
  const files = [
    { key: records, sha256: recordsSha256, what: 'records' },
    { key: errata, sha256: errataSha256, what: 'errors' },
  ];
  for (const { key, sha256, what } of files) {
    if (key === undefined) continue;
    const expected = sha256 === undefined ? 'nothing' : { sha256 };
    yield { key, expected, what: `the ${what} of the upload ${name}`, remedy: RESTORE } as const;
  }
}

function nameOfUpload(id: string): string {
  const { organization, stream, number } = parseUploadId(id);
  return `${organization}/${stream}/${number}`;
}

async function* streamDumpFiles(catalog: Catalog) {
  for await (const { body } of documents<StreamDump>(catalog, 'stream-dump')) {
    const { organization, stream } = body;
    const options = stream === undefined ? '' : ` --stream ${stream}`;
    for (const { artifact, sha256, name } of isListed(body) ? body.files : []) {
      const remedy = `make a full dump, "tidemark streams dump ${organization}${options} --full", or ${RESTORE}`;
      yield { key: artifact, expected: { sha256 }, what: `the file ${name} of a dump of ${organization}`, remedy };
    }
  }
}

async function* documents<Body>(catalog: Catalog, kind: CatalogKind) {
  for await (const page of latestPages<Body>(catalog, { kind, prefix: '', limit: PAGE })) yield* page.documents;
}

async function* segments(artifacts: KnownArtifactsParts['artifacts']) {
  for (const chain of await artifacts.folders(ARCHIVE_FOLDER)) {
    if (!isChainId(chain)) continue;
    const remedy = `begin another archive, "tidemark archive --anew", or ${RESTORE}`;
    for await (const objects of artifacts.list(segmentsFolder(chain))) {
      for (const { key } of objects) {
        const isSegment = parseKey(key)?.kind === 'segment';
        if (isSegment) yield { key, expected: 'segment', what: `a segment of the archive ${chain}`, remedy } as const;
      }
    }
  }
}

async function* avroFiles(artifacts: KnownArtifactsParts['artifacts']) {
  for (const provider of (await artifacts.folders('')).filter(isProvider)) {
    for await (const { key, activity } of listArtifacts(artifacts, { provider })) {
      const remedy = `run the activity again, or ${RESTORE}`;
      yield {
        key,
        expected: 'summary',
        what: `the artifact of an activity (${activity}) of ${provider}`,
        remedy,
      } as const;
    }
  }
}
