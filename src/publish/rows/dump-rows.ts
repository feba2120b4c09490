import { hasChangeDump, hasDump, hasDumpArchive } from '../../core/resource-set.ts';
import { planArchive, planArchivePart } from '../archive-documents.ts';
import { archivedDumps, planArchivedDump, timeOf } from '../archived-dumps.ts';
import { archivedChangeDumps, planArchivedChangeDump, planChangeDump, planChangeDumpPart } from '../change-dump.ts';
import { planDumpPart, planResourceDump } from '../resource-dumps.ts';
import type { SetRow } from './row.ts';

/** Documents of bytes: Resource Dumps, current and archived, and Change Dumps. */
export const DUMP_ROWS = {
  resourceDump: {
    of: 'set',
    path: '/sets/:set/resourcedump.xml',
    operation: { id: 'resourceDump', summary: 'The Resource Dump, or its index when it has more than 50,000 packages' },
    listed: { title: 'Resource Dump', purpose: 'The resources themselves, packed into ZIP files, for a first copy.' },
    page: {
      title: 'Resource Dump',
      purpose: 'The resources themselves, packed into ZIP files, for a first copy.',
      ofIndex: 'The resources themselves, packed into ZIP files that several documents list.',
    },
    entries: 'documents',
    capability: { name: 'resourcedump', label: 'Resource Dump: the resources, packed' },
    isOf: hasDump,
    plan: async ({ published, dump }) =>
      planResourceDump(
        published,
        await dump(),
        hasDumpArchive(published.set) ? published.uris.resourceDumpArchive : undefined,
      ),
  },
  resourceDumpArchive: {
    of: 'set',
    path: '/sets/:set/resourcedump-archive.xml',
    operation: {
      id: 'resourceDumpArchive',
      summary: 'The Resource Dumps of earlier times, or an index when there are more than 50,000',
    },
    listed: { title: 'Resource Dump Archive', purpose: 'The resources themselves as they were at earlier times.' },
    page: {
      title: 'Resource Dump Archive',
      purpose: 'The resources themselves as they were at earlier times: a Resource Dump of each, the oldest first.',
      ofIndex: 'The resources themselves as they were at earlier times, in several documents.',
    },
    entries: 'documents',
    capability: { name: 'resourcedump-archive', label: 'Resource Dump Archive: the resources at earlier times' },
    isOf: hasDumpArchive,
    plan: async ({ published, archive }) => planArchive(published, archivedDumps(published, await archive())),
  },
  resourceDumpArchivePart: {
    of: 'set',
    path: '/sets/:set/resourcedump-archive-:part.xml',
    operation: { id: 'resourceDumpArchivePart', summary: 'A part of the Resource Dump Archive' },
    page: { title: 'Part of the Resource Dump Archive', purpose: 'Some of the Resource Dumps of earlier times.' },
    entries: 'documents',
    isOf: hasDumpArchive,
    plan: async ({ published, name, archive }) =>
      planArchivePart(published, archivedDumps(published, await archive()), name),
  },
  archivedResourceDump: {
    of: 'set',
    path: '/sets/:set/resourcedump-at-:time.xml',
    operation: {
      id: 'archivedResourceDump',
      summary: 'The Resource Dump of an earlier time, or its index when it has several parts, or a part of it',
    },
    page: {
      title: 'Archived Resource Dump',
      purpose: 'The resources themselves as they were at an earlier time, packed into ZIP files.',
      ofIndex: 'The resources themselves as they were at an earlier time, in ZIP files that several documents list.',
    },
    entries: 'documents',
    isOf: hasDumpArchive,
    plan: async ({ published, name, archivedDump }) =>
      planArchivedDump(published, await archivedDump(timeOf(name)), name),
  },
  resourceDumpPart: {
    of: 'set',
    path: '/sets/:set/resourcedump-:part.xml',
    operation: { id: 'resourceDumpPart', summary: 'A part of the Resource Dump' },
    page: { title: 'Part of the Resource Dump', purpose: 'Some of the ZIP files that the resources are packed into.' },
    entries: 'documents',
    isOf: hasDump,
    plan: async ({ published, name, dump }) => planDumpPart(published, await dump(), name),
  },
  changeDump: {
    of: 'set',
    path: '/sets/:set/changedump.xml',
    operation: { id: 'changeDump', summary: 'The Change Dump, or its index when it has more than 50,000 packages' },
    listed: { title: 'Change Dump', purpose: 'Every version of what has changed, packed into ZIP files.' },
    page: {
      title: 'Change Dump',
      purpose: 'Every version of what has changed, packed into ZIP files.',
      ofIndex: 'Every version of what has changed, packed into ZIP files that several documents list.',
    },
    entries: 'documents',
    capability: { name: 'changedump', label: 'Change Dump: every version, packed' },
    isOf: hasChangeDump,
    plan: async ({ published, changePackages }) => planChangeDump(published, await changePackages()),
  },
  changeDumpArchive: {
    of: 'set',
    path: '/sets/:set/changedump-archive.xml',
    operation: {
      id: 'changeDumpArchive',
      summary: 'The Change Dumps of finished windows, or an index when there are more than 50,000',
    },
    listed: { title: 'Change Dump Archive', purpose: 'A Change Dump of each time that is finished, the oldest first.' },
    page: {
      title: 'Change Dump Archive',
      purpose: 'A Change Dump of each time that is finished, the oldest first.',
      ofIndex: 'A Change Dump of each time that is finished, in several documents.',
    },
    entries: 'documents',
    capability: { name: 'changedump-archive', label: 'Change Dump Archive: every version, one dump a time' },
    isOf: hasChangeDump,
    plan: async ({ published, changePackages }) =>
      planArchive(published, archivedChangeDumps(published, await changePackages())),
  },
  changeDumpArchivePart: {
    of: 'set',
    path: '/sets/:set/changedump-archive-:part.xml',
    operation: { id: 'changeDumpArchivePart', summary: 'A part of the Change Dump Archive' },
    page: { title: 'Part of the Change Dump Archive', purpose: 'Some of the Change Dumps that are finished.' },
    entries: 'documents',
    isOf: hasChangeDump,
    plan: async ({ published, name, changePackages }) =>
      planArchivePart(published, archivedChangeDumps(published, await changePackages()), name),
  },
  archivedChangeDump: {
    of: 'set',
    path: '/sets/:set/changedump-of-:name.xml',
    operation: { id: 'archivedChangeDump', summary: 'The Change Dump of one finished window of the Change List' },
    page: {
      title: 'Archived Change Dump',
      purpose: 'Every version of what changed in some time, packed into ZIP files.',
    },
    entries: 'documents',
    isOf: hasChangeDump,
    plan: async ({ published, name, changePackages }) =>
      planArchivedChangeDump(published, await changePackages(), name),
  },
  changeDumpPart: {
    of: 'set',
    path: '/sets/:set/changedump-:part.xml',
    operation: { id: 'changeDumpPart', summary: 'A part of the Change Dump' },
    page: { title: 'Part of the Change Dump', purpose: 'Some of the ZIP files that changes are packed into.' },
    entries: 'documents',
    isOf: hasChangeDump,
    plan: async ({ published, name, changePackages }) => planChangeDumpPart(published, await changePackages(), name),
  },
} as const satisfies Readonly<Record<string, SetRow>>;
