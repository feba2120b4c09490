import type { KeyRange } from '../../core/key.ts';
import type { SetId } from '../../core/resource-set.ts';
import type { Stamp } from '../../core/stamp.ts';
import type { ChangeLog } from '../../stores/change-log.ts';
import type { Limits, ResourceStates } from '../../stores/resource-states.ts';
import { type Archive, type ArchiveIndex, renderArchive, renderArchiveIndex } from './documents/archive-document.ts';
import {
  type ChangeDump,
  type ChangeDumpIndex,
  renderChangeDump,
  renderChangeDumpIndex,
} from './documents/change-dump-document.ts';
import { type ChangeListHead, changeEntries, changeListHead } from './documents/change-list.ts';
import { type ChangeListIndex, renderChangeListIndex } from './documents/change-list-index.ts';
import type { EntryStyle } from './documents/entry.ts';
import { plainEntries, plainSitemapHead, renderPlainIndex } from './documents/plain-sitemap.ts';
import {
  type ResourceDump,
  type ResourceDumpIndex,
  renderResourceDump,
  renderResourceDumpIndex,
} from './documents/resource-dump.ts';
import {
  type ListedResource,
  type ResourceListHead,
  resourceEntries,
  resourceListHead,
  URLSET_END,
} from './documents/resource-list.ts';
import { type ResourceListIndex, renderResourceListIndex } from './documents/resource-list-index.ts';
import { renderSourceDescription, type SourceDescription } from './documents/source-description.ts';
import { renderSourceDescriptionIndex, type SourceDescriptionIndex } from './documents/source-description-index.ts';

/** Number of entries in a text: texts of about twenty kilobytes never leave the young generation. */
const GROUP = 64;

/** Everything that is needed to render one document. Plain values, so that another thread can receive them. */
export type RenderJob =
  // A small document that needs only its plan.
  | { readonly kind: 'text'; readonly text: string }
  | { readonly kind: 'source-description'; readonly document: SourceDescription }
  | { readonly kind: 'source-description-index'; readonly document: SourceDescriptionIndex }
  | { readonly kind: 'resource-list-index'; readonly document: ResourceListIndex; readonly isPlain?: boolean }
  | { readonly kind: 'change-list-index'; readonly document: ChangeListIndex }
  | { readonly kind: 'change-dump'; readonly document: ChangeDump }
  | { readonly kind: 'change-dump-index'; readonly document: ChangeDumpIndex }
  | { readonly kind: 'resource-dump'; readonly document: ResourceDump }
  | { readonly kind: 'resource-dump-index'; readonly document: ResourceDumpIndex }
  | { readonly kind: 'archive'; readonly document: Archive }
  | { readonly kind: 'archive-index'; readonly document: ArchiveIndex }
  | KeptPageJob
  | ResourcePageJob
  | ChangesJob
  | RecentChangesJob;

/** A page of an archived list. */
interface KeptPageJob {
  readonly kind: 'kept-page';
  readonly place: KeptPagePlace;
  readonly head: ResourceListHead;
}

/** Names a page of an archived list. Plain values. */
export interface KeptPagePlace {
  readonly set: SetId;
  /** The name of the list's manifest. */
  readonly list: string;
  /** Counted from 0. */
  readonly number: number;
}

/** Reads the entries of archived lists. */
export interface KeptEntries {
  /** The entries of a page as text, without head and end. */
  entries(place: KeptPagePlace): AsyncIterable<string>;
}

export interface ResourcePageJob {
  readonly kind: 'resource-page';
  readonly set: SetId;
  readonly range: KeyRange;
  /** For a retired page: the boundary after which created resources are left out. */
  readonly createdBefore?: Stamp | undefined;
  readonly head: ResourceListHead;
  readonly style: EntryStyle;
  /** Whether it is a sitemap for search engines, without elements of ResourceSync. */
  readonly isPlain?: boolean;
}

export interface ChangesJob {
  readonly kind: 'changes';
  readonly set: SetId;
  readonly after: Stamp;
  readonly until: Stamp;
  readonly head: ChangeListHead;
  readonly style: EntryStyle;
}

/** The newest changes up to a boundary, as many as a document may contain. */
export interface RecentChangesJob {
  readonly kind: 'recent-changes';
  readonly set: SetId;
  /** The start of the set's history. */
  readonly epochStart: Stamp;
  readonly until: Stamp;
  readonly limits: Limits;
  readonly capabilityList: string;
  readonly style: EntryStyle;
}

/**
 * The document as text, in small pieces.
 * @param kept reads archived lists; needed only for them
 */
export async function* render(
  job: RenderJob,
  index: ChangeLog & ResourceStates,
  kept?: KeptEntries,
): AsyncIterable<string> {
  switch (job.kind) {
    case 'text':
      yield job.text;
      return;
    case 'source-description':
      yield renderSourceDescription(job.document);
      return;
    case 'source-description-index':
      yield renderSourceDescriptionIndex(job.document);
      return;
    case 'resource-list-index':
      yield job.isPlain === true ? renderPlainIndex(job.document) : renderResourceListIndex(job.document);
      return;
    case 'change-list-index':
      yield renderChangeListIndex(job.document);
      return;
    case 'change-dump':
      yield renderChangeDump(job.document);
      return;
    case 'change-dump-index':
      yield renderChangeDumpIndex(job.document);
      return;
    case 'resource-dump':
      yield renderResourceDump(job.document);
      return;
    case 'resource-dump-index':
      yield renderResourceDumpIndex(job.document);
      return;
    case 'archive':
      yield renderArchive(job.document);
      return;
    case 'archive-index':
      yield renderArchiveIndex(job.document);
      return;
    case 'kept-page':
      yield resourceListHead(job.head);
      yield* kept!.entries(job.place);
      yield URLSET_END;
      return;
    case 'resource-page':
      return yield* renderResourcePage(job, index);
    case 'changes':
      return yield* renderChanges(job, index);
    case 'recent-changes': {
      const { set, until, limits, epochStart, capabilityList, style } = job;
      const from = Math.max(await index.newest(set, until, limits), epochStart);
      return yield* renderChanges(
        { kind: 'changes', set, after: from, until, head: { from, capabilityList }, style },
        index,
      );
    }
  }
}

async function* renderResourcePage(job: ResourcePageJob, index: ChangeLog & ResourceStates): AsyncIterable<string> {
  yield pageHead(job);
  const { createdBefore = Number.POSITIVE_INFINITY } = job;
  for await (const batch of index.read(job.set, job.range)) {
    const held = batch.filter(({ created }) => created < createdBefore);
    for (const group of groups(held)) yield pageEntries(group, job);
  }
  yield URLSET_END;
}

/** A page up to its first entry. */
export function pageHead({ isPlain, head }: ResourcePageJob): string {
  return isPlain === true ? plainSitemapHead() : resourceListHead(head);
}

export function pageEntries(resources: readonly ListedResource[], { isPlain, style }: ResourcePageJob): string {
  return isPlain === true ? plainEntries(resources, style.urlPrefix) : resourceEntries(resources, style);
}

async function* renderChanges(job: ChangesJob, index: ChangeLog & ResourceStates): AsyncIterable<string> {
  yield changeListHead(job.head);
  yield* renderChangesAfter(job.after, job, index);
}

/** The rest of the document after the changes up to a boundary. */
export async function* renderChangesAfter(
  after: Stamp,
  { set, until, style }: ChangesJob,
  index: ChangeLog & ResourceStates,
): AsyncIterable<string> {
  for await (const batch of index.changes(set, { after, until })) {
    for (const group of groups(batch)) yield changeEntries(group, style);
  }
  yield URLSET_END;
}

function* groups<Item>(items: readonly Item[]): Iterable<readonly Item[]> {
  for (let start = 0; start < items.length; start += GROUP) yield items.slice(start, start + GROUP);
}
