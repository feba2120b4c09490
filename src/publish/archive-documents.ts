import { MAX_ENTRIES } from '../core/resource-set.ts';
import type { Stamp } from '../core/stamp.ts';
import type { SetStatistics } from '../stores/set-statistics.ts';
import { fingerprint } from './cache/document-reference.ts';
import { fromOf, readHistory } from './change-windows.ts';
import type { DocumentPlan } from './document-plan.ts';
import { nameOfPart, partNamed, partsOf } from './numbered-parts.ts';
import { documentName, partName } from './pages/document-name.ts';
import type { PublishedSet } from './published-set.ts';
import type { ArchivedDocument } from './render/documents/archive-document.ts';
import type { ArchiveCapability } from './render/documents/sitemap.ts';
import type { RenderJob } from './render/render-job.ts';

/** The entries of an archive, and its addresses. */
export interface ArchiveContent {
  readonly capability: ArchiveCapability;
  readonly uri: string;
  partUri(part: string): string;
  /** The oldest first. */
  readonly entries: readonly ArchivedDocument[];
}

/** The archive of Change Lists: every closed window. */
export async function readClosedWindows(index: SetStatistics, published: PublishedSet): Promise<ArchiveContent> {
  const { set, uris } = published;
  const { windows } = await readHistory(index, published);
  return {
    capability: 'changelist-archive',
    uri: uris.changeListArchive,
    partUri: uris.changeListArchivePart,
    entries: windows.slice(0, -1).map(({ number }, at) => ({
      uri: uris.changeWindow(partName(set.epoch, number)),
      from: fromOf(published, windows, at),
      until: windows[at + 1]!.from,
    })),
  };
}

/** An archive: one document, or an index over several (ResourceSync Archives, 3 to 6). */
export function planArchive(published: PublishedSet, content: ArchiveContent): DocumentPlan {
  const { capability, uri, partUri, entries } = content;
  const { capabilityList } = published.uris;
  const head = { capability, capabilityList };
  if (entries.length <= MAX_ENTRIES) {
    return plan(published, { uri, entries, job: { kind: 'archive', document: { ...head, entries } } });
  }
  const parts = partsOf(entries).map((_, at) => partUri(nameOfPart(at)));
  return plan(published, { uri, entries, job: { kind: 'archive-index', document: { ...head, parts } } });
}

/** A part of an archive that is an index. @throws TidemarkError `not-found` when there is no such part */
export function planArchivePart(published: PublishedSet, content: ArchiveContent, name: string): DocumentPlan {
  const { capability, uri, partUri, entries: all } = content;
  const parts = partsOf(all);
  const entries = partNamed(parts, name, 'this archive');
  // A client may have read an index that has become one document since.
  if (parts.length === 1) return planArchive(published, content);
  const document = { capability, capabilityList: published.uris.capabilityList, index: uri, entries };
  return plan(published, { uri: partUri(name), entries, job: { kind: 'archive', document } });
}

/** The set for documents that link to an archive: their bytes differ from those of earlier versions. */
export function withArchive(published: PublishedSet, archive: string): PublishedSet {
  return { ...published, fingerprint: fingerprint(published.fingerprint, archive) };
}

interface Planned {
  readonly uri: string;
  readonly entries: readonly ArchivedDocument[];
  readonly job: RenderJob;
}

function plan({ set, folder, fingerprint: ofSet }: PublishedSet, { uri, entries, job }: Planned): DocumentPlan {
  const last = entries.at(-1);
  const newest = last === undefined ? set.epochStart - 1 : endOf(last) - 1;
  // Entries are added at the end, and removed at the beginning.
  const print = fingerprint(ofSet, job.kind, entries.length, entries[0]?.uri);
  return {
    reference: { folder, name: documentName(uri), version: newest, fingerprint: print },
    task: () => ({ newest, job }),
  };
}

function endOf(document: ArchivedDocument): Stamp {
  return 'until' in document ? document.until : document.completed;
}
