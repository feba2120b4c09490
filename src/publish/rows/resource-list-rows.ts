import { hasListArchive } from '../../core/resource-set.ts';
import { planArchive, planArchivePart } from '../archive-documents.ts';
import { archivedLists, planArchivedList } from '../archived-lists.ts';
import { asSitemap } from '../published-set.ts';
import { planNamedPage, planResourceList } from '../resource-lists.ts';
import type { SetRow } from './row.ts';

/** Documents of resources: Resource Lists, current and archived, and plain sitemaps. */
export const RESOURCE_LIST_ROWS = {
  resourceList: {
    of: 'set',
    path: '/sets/:set/resourcelist.xml',
    operation: { id: 'resourceList', summary: 'The Resource List, or its index when it has several pages' },
    listed: { title: 'Resource List', purpose: 'Everything there is, for a first copy.' },
    page: {
      title: 'Resource List',
      purpose: 'Everything there is, for a first copy.',
      ofIndex: 'Everything there is, for a first copy, in several documents.',
    },
    entries: 'resources',
    capability: { name: 'resourcelist', label: 'Resource List: everything there is' },
    plan: ({ published, settled }) => settled((directory) => planResourceList(published, directory)),
  },
  resourceListArchive: {
    of: 'set',
    path: '/sets/:set/resourcelist-archive.xml',
    operation: {
      id: 'resourceListArchive',
      summary: 'The Resource Lists of earlier times, or an index when there are more than 50,000',
    },
    listed: { title: 'Resource List Archive', purpose: 'What there was at earlier times, the oldest list first.' },
    page: {
      title: 'Resource List Archive',
      purpose: 'Everything that there was at earlier times: a Resource List of each, the oldest first.',
      ofIndex: 'Everything that there was at earlier times, in several documents.',
    },
    entries: 'documents',
    capability: { name: 'resourcelist-archive', label: 'Resource List Archive: what there was at earlier times' },
    isOf: hasListArchive,
    plan: async ({ published, archive }) => planArchive(published, archivedLists(published, await archive())),
  },
  resourceListArchivePart: {
    of: 'set',
    path: '/sets/:set/resourcelist-archive-:part.xml',
    operation: { id: 'resourceListArchivePart', summary: 'A part of the Resource List Archive' },
    page: { title: 'Part of the Resource List Archive', purpose: 'Some of the Resource Lists of earlier times.' },
    entries: 'documents',
    isOf: hasListArchive,
    plan: async ({ published, name, archive }) =>
      planArchivePart(published, archivedLists(published, await archive()), name),
  },
  archivedResourceList: {
    of: 'set',
    path: '/sets/:set/resourcelist-at-:time.xml',
    operation: {
      id: 'archivedResourceList',
      summary: 'The Resource List of an earlier time, or its index when it has several pages, or a page of it',
    },
    page: {
      title: 'Archived Resource List',
      purpose: 'Everything that there was at an earlier time, or a page of it.',
      ofIndex: 'Everything that there was at an earlier time, in several documents.',
    },
    entries: 'resources',
    isOf: hasListArchive,
    plan: async ({ published, name, archive }) => planArchivedList(published, await archive(), name),
  },
  resourceListPage: {
    of: 'set',
    path: '/sets/:set/resourcelist-:name.xml',
    operation: { id: 'resourceListPage', summary: 'A page of the Resource List' },
    page: {
      title: 'Page of the Resource List',
      purpose: 'A part of everything there is, in the order of the names.',
    },
    entries: 'resources',
    plan: ({ published, name, settled }) => settled((directory) => planNamedPage(published, directory, name)),
  },
  sitemap: {
    of: 'set',
    path: '/sets/:set/sitemap.xml',
    operation: { id: 'sitemap', summary: 'The same for search engines: a sitemap without elements of ResourceSync' },
    page: { title: 'Sitemap', purpose: 'Everything there is, for search engines.' },
    // Search engines state in `Accept` that they prefer HTML.
    isXmlOnly: true,
    entries: 'resources',
    plan: ({ published, settled }) => settled((directory) => planResourceList(asSitemap(published), directory)),
  },
  sitemapPage: {
    of: 'set',
    path: '/sets/:set/sitemap-:name.xml',
    operation: { id: 'sitemapPage', summary: 'A page of the sitemap' },
    page: { title: 'Page of the sitemap', purpose: 'A part of everything there is, for search engines.' },
    isXmlOnly: true,
    entries: 'resources',
    plan: ({ published, name, settled }) =>
      settled((directory) => planNamedPage(asSitemap(published), directory, name)),
  },
} as const satisfies Readonly<Record<string, SetRow>>;
