import { withArchive } from './archive-documents.ts';
import { fingerprint } from './cache/document-reference.ts';
import type { DocumentPlan } from './document-plan.ts';
import type { DumpPlan } from './dumps/dump-plan.ts';
import type { Dump } from './dumps/stored-dump.ts';
import { nameOfPart, partNamed, partsOf } from './numbered-parts.ts';
import { documentName } from './pages/document-name.ts';
import type { PageDirectory } from './pages/page-directory.ts';
import type { PublishedSet } from './published-set.ts';
import type { ResourceDump } from './render/documents/resource-dump.ts';
import type { RenderJob } from './render/render-job.ts';
import { atOf } from './resource-lists.ts';

/** Plans the pages of a set for a dump: empty pages have no package. */
export function planDump(published: PublishedSet, directory: PageDirectory): DumpPlan {
  const { set, uris, style, fingerprint } = published;
  const newest = Math.max(...directory.pages.map(({ version }) => version));
  const pages = directory.pages
    .filter(({ entries }) => entries > 0)
    .map(({ name, version, from }) => ({
      set: set.id,
      page: name,
      version,
      fingerprint,
      range: { from, to: directory.endOf(name) },
      head: { at: atOf(published, version), capabilityList: uris.capabilityList },
      style,
    }));
  return { set, at: atOf(published, newest), pages };
}

/**
 * The Resource Dump: one document, or an index over several (ResourceSync 1.1, 11.1).
 * @param archives address of the archive of dumps, if there is one
 */
export function planResourceDump(published: PublishedSet, dump: Dump, archives?: string): DocumentPlan {
  const parts = partsOf(dump.packages);
  const { uris } = published;
  const seen = archives === undefined ? published : withArchive(published, archives);
  if (parts.length === 1) {
    return plan(seen, dump, { uri: uris.resourceDump, job: listJob(published, dump, { archives }) });
  }
  const document = {
    ...headOf(published, dump),
    ...(archives !== undefined && { archives }),
    parts: parts.map((packages, at) => ({
      uri: uris.dumpPart(nameOfPart(at)),
      at: Math.max(...packages.map((one) => one.at)),
    })),
  };
  return plan(seen, dump, { uri: uris.resourceDump, job: { kind: 'resource-dump-index', document } });
}

/** A part of a Resource Dump that is an index. @throws TidemarkError `not-found` when there is no such part */
export function planDumpPart(published: PublishedSet, dump: Dump, name: string): DocumentPlan {
  const parts = partsOf(dump.packages);
  const packages = partNamed(parts, name, 'the Resource Dump');
  // A client may have read an index that has become one document since.
  if (parts.length === 1) return planResourceDump(published, dump);
  const { uris } = published;
  const job = listJob(published, { ...dump, packages }, { index: uris.resourceDump });
  return plan(published, dump, { uri: uris.dumpPart(name), job });
}

function listJob(
  published: PublishedSet,
  dump: Dump,
  { index, archives }: Pick<ResourceDump, 'index' | 'archives'>,
): RenderJob {
  const { uris } = published;
  const packages = dump.packages.map(({ name, at, completed, length, sha256 }) => {
    return { uri: uris.dumpPackage(name), contents: uris.dumpManifest(name), at, completed, length, sha256 };
  });
  return { kind: 'resource-dump', document: { ...headOf(published, dump), index, archives, packages } };
}

function headOf({ uris: { capabilityList } }: PublishedSet, { at, completed }: Dump) {
  return { at, completed, capabilityList };
}

function plan(
  { folder, fingerprint: ofSet }: PublishedSet,
  { at, completed }: Dump,
  { uri, job }: { readonly uri: string; readonly job: RenderJob },
): DocumentPlan {
  // Two dumps of one boundary differ when resources were missing in the first.
  const reference = { folder, name: documentName(uri), version: at - 1, fingerprint: fingerprint(ofSet, completed) };
  return { reference, task: () => ({ newest: completed, job }) };
}
