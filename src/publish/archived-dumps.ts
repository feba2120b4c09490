import { TidemarkError } from '../core/errors.ts';
import { hasDumpArchive } from '../core/resource-set.ts';
import type { ArchiveContent } from './archive-documents.ts';
import { type StoredArchive, timeName } from './archives/stored-archive.ts';
import type { DocumentPlan } from './document-plan.ts';
import type { Dump } from './dumps/stored-dump.ts';
import type { PublishedSet } from './published-set.ts';
import { planDumpPart, planResourceDump } from './resource-dumps.ts';

/** The contents of the archive of Resource Dumps. @throws TidemarkError `not-found` when no dump was kept */
export function archivedDumps({ set, uris }: PublishedSet, { dumps = [] }: StoredArchive): ArchiveContent {
  if (!hasDumpArchive(set))
    throw new TidemarkError('not-found', `"${set.slug}" has no archived dumps`, { set: set.slug });
  return {
    capability: 'resourcedump-archive',
    uri: uris.resourceDumpArchive,
    partUri: uris.resourceDumpArchivePart,
    entries: dumps.map(({ at, completed }) => ({ uri: uris.archivedDump(timeName(completed)), at, completed })),
  };
}

/** The time in the name of an archived dump, or of one of its parts. */
export function timeOf(name: string): string {
  return name.split('-')[0]!;
}

/** A Resource Dump of an earlier time, or a part of one. It never changes. @throws TidemarkError `not-found` */
export function planArchivedDump(published: PublishedSet, dump: Dump, name: string): DocumentPlan {
  const { archivedDump } = published.uris;
  const [time = '', ...part] = name.split('-');
  const uris = {
    ...published.uris,
    resourceDump: archivedDump(time),
    dumpPart: (one: string) => archivedDump(`${time}-${one}`),
  };
  const archived = { ...published, uris };
  const plan = part.length === 0 ? planResourceDump(archived, dump) : planDumpPart(archived, dump, part.join('-'));
  return { ...plan, task: () => ({ ...plan.task(), immutable: true }) };
}
