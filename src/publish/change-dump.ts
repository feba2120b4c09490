import { TidemarkError } from '../core/errors.ts';
import { MAX_ENTRIES } from '../core/resource-set.ts';
import type { ArchiveContent } from './archive-documents.ts';
import { fingerprint } from './cache/document-reference.ts';
import type { DocumentPlan } from './document-plan.ts';
import { type ChangePackage, windowOf } from './dumps/stored-change-dump.ts';
import { nameOfPart, partNamed, partsOf } from './numbered-parts.ts';
import { documentName } from './pages/document-name.ts';
import type { PublishedSet } from './published-set.ts';
import type { RenderJob } from './render/render-job.ts';

type Packages = readonly ChangePackage[];

/** The Change Dump: one document, or an index over several (ResourceSync 1.1, 13.1). */
export function planChangeDump(published: PublishedSet, packages: Packages): DocumentPlan {
  const { uris } = published;
  const { capabilityList, changeDump: uri, changeDumpArchive: archives } = uris;
  const parts = partsOf(packages);
  if (parts.length === 1) return plan(published, packages, { uri, job: dumpJob(published, packages, { archives }) });
  const document = {
    from: packages[0]!.from,
    capabilityList,
    archives,
    parts: parts.map((part, at) => ({ uri: uris.changeDumpPart(nameOfPart(at)), from: part[0]!.from, ...endOf(part) })),
  };
  return plan(published, packages, { uri, job: { kind: 'change-dump-index', document } });
}

/** A part of a Change Dump that is an index. @throws TidemarkError `not-found` when there is no such part */
export function planChangeDumpPart(published: PublishedSet, packages: Packages, name: string): DocumentPlan {
  const { changeDump: index, changeDumpPart } = published.uris;
  const parts = partsOf(packages);
  const part = partNamed(parts, name, 'the Change Dump');
  // A client may have read an index that has become one document since.
  if (parts.length === 1) return planChangeDump(published, packages);
  return plan(published, part, {
    uri: changeDumpPart(name),
    job: dumpJob(published, part, { index, ...endOf(part) }),
  });
}

/** The archive of Change Dumps: one for each packed window. */
export function archivedChangeDumps({ uris }: PublishedSet, packages: Packages): ArchiveContent {
  const windows = Map.groupBy(packages, windowOf);
  return {
    capability: 'changedump-archive',
    uri: uris.changeDumpArchive,
    partUri: uris.changeDumpArchivePart,
    entries: [...windows].map(([name, packed]) => {
      return { uri: uris.archivedChangeDump(name), from: packed[0]!.from, until: packed.at(-1)!.until };
    }),
  };
}

/** The Change Dump of one finished window. @throws TidemarkError `not-found` when it is not packed */
export function planArchivedChangeDump(published: PublishedSet, packages: Packages, name: string): DocumentPlan {
  const packed = packages.filter((one) => windowOf(one) === name);
  if (packed.length === 0) {
    const message = `no window "${name}" is in the Change Dump: read its archive again`;
    throw new TidemarkError('not-found', message, { name });
  }
  const job = dumpJob(published, packed, { until: packed.at(-1)!.until });
  return plan(published, packed, { uri: published.uris.archivedChangeDump(name), job });
}

function dumpJob(
  { uris }: PublishedSet,
  packages: Packages,
  about: { readonly index?: string; readonly archives?: string; readonly until?: number },
): RenderJob {
  const document = {
    from: packages[0]!.from,
    capabilityList: uris.capabilityList,
    ...about,
    packages: packages.map(({ name, from, until, length, sha256 }) => {
      return { uri: uris.changePackage(name), contents: uris.changeManifest(name), from, until, length, sha256 };
    }),
  };
  return { kind: 'change-dump', document };
}

function plan(
  { folder, fingerprint: ofSet }: PublishedSet,
  packages: Packages,
  { uri, job }: { readonly uri: string; readonly job: RenderJob },
): DocumentPlan {
  const [first, last] = [packages[0]!, packages.at(-1)!];
  // Packages that were removed and built again have other names.
  const print = fingerprint(ofSet, job.kind, first.name, last.name);
  const reference = { folder, name: documentName(uri), version: last.until - 1, fingerprint: print };
  return { reference, task: () => ({ newest: last.completed, job }) };
}

/** A full part never gets another package, so it has an end. */
function endOf(part: Packages): { readonly until?: number } {
  return part.length < MAX_ENTRIES ? {} : { until: part.at(-1)!.until };
}
