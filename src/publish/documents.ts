import { hasChangeDump, hasDump, hasDumpArchive, hasListArchive, type ResourceSet } from '../core/resource-set.ts';
import { setHome } from '../core/set-uris.ts';
import { planArchive, planArchivePart, readClosedWindows } from './archive-documents.ts';
import { archivedDumps, planArchivedDump, timeOf } from './archived-dumps.ts';
import { archivedLists, planArchivedList } from './archived-lists.ts';
import { fingerprint as digest } from './cache/document-reference.ts';
import { planChangeDump } from './change-dump.ts';
import { ChangeLists } from './change-lists.ts';
import type { AskedRange, DocumentPlan, SetInput, SourceInput, SourceUris } from './document-plan.ts';
import { documentName } from './pages/document-name.ts';
import { asSitemap, type SetUris } from './published-set.ts';
import { renderCapabilityList } from './render/documents/capability-list.ts';
import type { Capability } from './render/documents/sitemap.ts';
import { planDumpPart, planResourceDump } from './resource-dumps.ts';
import { planNamedPage, planResourceList } from './resource-lists.ts';
import { planDescriptionPart, planSourceDescription } from './source-descriptions.ts';
import { planChangeTopic, planFrameworkTopic } from './topics.ts';

/** A document as people read of it. */
interface Words {
  readonly title: string;
  readonly purpose: string;
}

export interface DocumentRow {
  /** Below the base URL. Its parameters are the fields of the document's key. */
  readonly path: string;
  /** For the description of the API. */
  readonly operation: { readonly id: string; readonly summary: string };
  /** Makes it a member of `documents` in the API, and a line on the page of the set. */
  readonly listed?: Words;
  /** The heading of its own page; `ofIndex` is the purpose of an index over several documents. */
  readonly page: Words & { readonly ofIndex?: string };
  /** It has no page of its own: whatever a client prefers, it gets XML. */
  readonly isXmlOnly?: boolean;
  /** What its entries are when it is not an index. */
  readonly entries: 'documents' | 'resources' | 'changes';
  /** Its capability, where a Source Description or a Capability List lists it, and what people call it there. */
  readonly capability?: { readonly name: Capability; readonly label: string };
  /** It answers with links to its hub and to itself (WebSub, 4). */
  readonly isTopic?: boolean;
}

interface SourceRow extends DocumentRow {
  readonly of: 'source';
  readonly plan: (input: SourceInput, part: string) => DocumentPlan;
}

export interface SetRow extends DocumentRow {
  readonly of: 'set';
  /** Clients may ask for the changes of some time, by `from` and `until`. */
  readonly takesRange?: boolean;
  /** Which sets have it; without this, all of them. */
  readonly isOf?: (set: ResourceSet) => boolean;
  /** It is published before the set was read for the first time. */
  readonly isEarly?: boolean;
  readonly plan: (input: SetInput) => DocumentPlan | Promise<DocumentPlan>;
}

/**
 * Every document that is published. Routes, addresses, the Capability List, the API and its description, and pages for
 * people follow from the rows. To add a document, write its renderer and a row. A path that another one's parameter
 * would match comes before it. The plan says which version there is now, and whether that may be cached for ever.
 */
export const DOCUMENTS = {
  sourceDescription: {
    of: 'source',
    path: '/.well-known/resourcesync',
    operation: {
      id: 'sourceDescription',
      summary: 'The Source Description, or its index when there are more than 50,000 sets',
    },
    page: {
      title: 'Source Description',
      purpose: 'Every set of this source. All other documents are found from here.',
    },
    entries: 'documents',
    plan: planSourceDescription,
  },
  sourceDescriptionPart: {
    of: 'source',
    path: '/description-:part.xml',
    operation: { id: 'sourceDescriptionPart', summary: 'A part of the Source Description' },
    page: {
      title: 'Source Description',
      purpose: 'Every set of this source. All other documents are found from here.',
    },
    entries: 'documents',
    plan: planDescriptionPart,
  },
  frameworkTopic: {
    of: 'source',
    path: '/notifications.xml',
    operation: {
      id: 'frameworkTopic',
      summary: 'The topic to subscribe to, of sets and documents that are created, updated and deleted',
    },
    page: { title: 'Topic of the source', purpose: 'Programs subscribe to it, to learn of new sets and documents.' },
    entries: 'documents',
    isTopic: true,
    plan: planFrameworkTopic,
  },
  capabilityList: {
    of: 'set',
    path: '/sets/:set/capabilitylist.xml',
    operation: { id: 'capabilityList', summary: 'The Capability List of a set' },
    listed: { title: 'Capability List', purpose: 'Where an aggregator begins: it names the lists below.' },
    page: { title: 'Capability List', purpose: 'The lists of this set: where an aggregator begins.' },
    entries: 'documents',
    capability: { name: 'capabilitylist', label: 'Capability List of a set' },
    isEarly: true,
    plan: planCapabilityList,
  },
  changeTopic: {
    of: 'set',
    path: '/sets/:set/notifications.xml',
    operation: { id: 'changeTopic', summary: 'The topic to subscribe to, of the changes of a set' },
    page: { title: 'Topic of the set', purpose: 'Programs subscribe to it, and are sent every change.' },
    entries: 'changes',
    isTopic: true,
    isEarly: true,
    plan: planChangeTopic,
  },
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
    // Search engines say that they prefer HTML.
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
  changeList: {
    of: 'set',
    path: '/sets/:set/changelist.xml',
    operation: { id: 'changeList', summary: 'The Change List, or its index; or the changes between two times' },
    takesRange: true,
    listed: { title: 'Change List', purpose: 'Every change since the history began, in order.' },
    page: {
      title: 'Change List',
      purpose: 'Changes, in the order in which they happened.',
      ofIndex: 'Every change, in the order in which it happened, in several documents.',
    },
    entries: 'changes',
    capability: { name: 'changelist', label: 'Change List: every change in order' },
    plan: ({ index, published, range }) =>
      range === undefined ? new ChangeLists(index).list(published) : new ChangeLists(index).between(published, range),
  },
  recentChanges: {
    of: 'set',
    path: '/sets/:set/changelist-recent.xml',
    operation: { id: 'recentChangeList', summary: 'The latest changes, always one list' },
    listed: { title: 'Recent changes', purpose: 'The latest changes in one list, to stay in sync.' },
    page: { title: 'Change List', purpose: 'Changes, in the order in which they happened.' },
    entries: 'changes',
    plan: ({ index, published }) => new ChangeLists(index).recent(published),
  },
  changeListArchive: {
    of: 'set',
    path: '/sets/:set/changelist-archive.xml',
    operation: {
      id: 'changeListArchive',
      summary: 'The finished parts of the Change List, or an index when there are more than 50,000',
    },
    listed: { title: 'Change List Archive', purpose: 'Every finished part of the Change List, the oldest first.' },
    page: {
      title: 'Change List Archive',
      purpose: 'Every part of the Change List that is finished, the oldest first.',
      ofIndex: 'Every part of the Change List that is finished, in several documents.',
    },
    entries: 'documents',
    capability: { name: 'changelist-archive', label: 'Change List Archive: its finished parts' },
    plan: async ({ index, published }) => planArchive(published, await readClosedWindows(index, published)),
  },
  changeListArchivePart: {
    of: 'set',
    path: '/sets/:set/changelist-archive-:part.xml',
    operation: { id: 'changeListArchivePart', summary: 'A part of the Change List Archive' },
    page: { title: 'Part of the Change List Archive', purpose: 'Some of the finished parts of the Change List.' },
    entries: 'documents',
    plan: async ({ index, published, name }) =>
      planArchivePart(published, await readClosedWindows(index, published), name),
  },
  changeListWindow: {
    of: 'set',
    path: '/sets/:set/changelist-:name.xml',
    operation: { id: 'changeListWindow', summary: 'A part of the Change List' },
    page: {
      title: 'Part of the Change List',
      purpose: 'The changes of some time, in the order in which they happened.',
    },
    entries: 'changes',
    plan: ({ index, published, name }) => new ChangeLists(index).window(published, name),
  },
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
    operation: { id: 'changeDump', summary: 'The Change Dump' },
    listed: { title: 'Change Dump', purpose: 'Every version of what has changed, packed into ZIP files.' },
    page: { title: 'Change Dump', purpose: 'Every version of what has changed, packed into ZIP files.' },
    entries: 'documents',
    capability: { name: 'changedump', label: 'Change Dump: every version, packed' },
    isOf: hasChangeDump,
    plan: async ({ published, changePackages }) => planChangeDump(published, await changePackages()),
  },
} as const satisfies Readonly<Record<string, SourceRow | SetRow>>;

type Table = typeof DOCUMENTS;
export type DocumentKind = keyof Table;

type FieldsOf<Path> = Path extends `/sets/:set/${infer File}`
  ? 'set' | FieldsOf<File>
  : Path extends `${string}:${infer Field}.xml`
    ? Field
    : never;

type KeyOf<Kind extends DocumentKind> = { readonly kind: Kind } & {
  readonly [Field in FieldsOf<Table[Kind]['path']>]: string;
} & (Table[Kind] extends { readonly takesRange: true } ? { readonly range?: AskedRange | undefined } : unknown);

/**
 * A document by its kind and the parameters of its path: `{ kind: 'resourceListPage', set: 'maps', name: '1-00000002'
 * }`.
 */
export type DocumentKey = { readonly [Kind in DocumentKind]: KeyOf<Kind> }[DocumentKind];
export type SetDocumentKey = Extract<DocumentKey, { readonly set: string }>;
export type SourceDocumentKey = Exclude<DocumentKey, SetDocumentKey>;

/** Kinds of documents that a set has one of, as the API and the page of a set list them. */
export type ListedKind = {
  readonly [Kind in DocumentKind]: Table[Kind] extends { readonly listed: Words } ? Kind : never;
}[DocumentKind];

export const DOCUMENT_KINDS = Object.keys(DOCUMENTS) as readonly DocumentKind[];
/** The texts of a path, and between them the names of its parameters. */
const PATH_PARTS = new Map(DOCUMENT_KINDS.map((kind) => [kind, DOCUMENTS[kind].path.split(/:([a-z]+)/)]));
const LISTED_KINDS = DOCUMENT_KINDS.filter((kind) => 'listed' in DOCUMENTS[kind]) as readonly ListedKind[];

/** What people read of a kind of capability. */
export const CAPABILITY_LABELS: Readonly<Record<string, string>> = Object.fromEntries(
  rows().flatMap(({ capability }) => (capability === undefined ? [] : [[capability.name, capability.label]])),
);

/** A value for each listed kind, in the order of the table. */
export function eachListed<Value>(toValue: (kind: ListedKind) => Value): Readonly<Record<ListedKind, Value>> {
  return Object.fromEntries(LISTED_KINDS.map((kind) => [kind, toValue(kind)])) as Record<ListedKind, Value>;
}

/** The listed kinds that a set has, in the order of the table. */
export function listedKindsOf(set: ResourceSet): readonly ListedKind[] {
  return LISTED_KINDS.filter((kind) => isOf(kind, set));
}

/** Whether some sets have no such document. */
export function isOptional(kind: ListedKind): boolean {
  return (DOCUMENTS[kind] as SetRow).isOf !== undefined;
}

function isOf(kind: ListedKind, set: ResourceSet): boolean {
  return (DOCUMENTS[kind] as SetRow).isOf?.(set) !== false;
}

/** @param fields the parameters of its path, and what else its key has */
export function documentKey(kind: DocumentKind, fields: Readonly<Record<string, unknown>>): DocumentKey {
  return { kind, ...fields } as DocumentKey;
}

/** @param baseUrl ends without a slash */
export function documentUri(baseUrl: string, key: DocumentKey): string {
  const fields = key as unknown as Readonly<Record<string, string>>;
  let uri = baseUrl;
  for (const [at, part] of PATH_PARTS.get(key.kind)!.entries()) uri += at % 2 === 0 ? part : fields[part];
  return uri;
}

export function setUris(baseUrl: string, set: string): SetUris {
  return {
    home: setHome(baseUrl, set),
    sourceDescription: documentUri(baseUrl, { kind: 'sourceDescription' }),
    ...eachListed((kind) => documentUri(baseUrl, { kind, set })),
    changeTopic: documentUri(baseUrl, { kind: 'changeTopic', set }),
    sitemap: documentUri(baseUrl, { kind: 'sitemap', set }),
    sitemapPage: (name) => documentUri(baseUrl, { kind: 'sitemapPage', set, name }),
    resourcePage: (name) => documentUri(baseUrl, { kind: 'resourceListPage', set, name }),
    changeWindow: (name) => documentUri(baseUrl, { kind: 'changeListWindow', set, name }),
    dumpPart: (part) => documentUri(baseUrl, { kind: 'resourceDumpPart', set, part }),
    resourceListArchivePart: (part) => documentUri(baseUrl, { kind: 'resourceListArchivePart', set, part }),
    archivedList: (time) => documentUri(baseUrl, { kind: 'archivedResourceList', set, time }),
    resourceDumpArchivePart: (part) => documentUri(baseUrl, { kind: 'resourceDumpArchivePart', set, part }),
    archivedDump: (time) => documentUri(baseUrl, { kind: 'archivedResourceDump', set, time }),
    changeListArchivePart: (part) => documentUri(baseUrl, { kind: 'changeListArchivePart', set, part }),
    dumpPackage: (name) => `${setHome(baseUrl, set)}dumps/${name}.zip`,
    changePackage: (name) => `${setHome(baseUrl, set)}changedumps/${name}.zip`,
    changeManifest: (name) => `${setHome(baseUrl, set)}changedumps/${name}.xml`,
    dumpManifest: (name) => `${setHome(baseUrl, set)}dumps/${name}.xml`,
  };
}

export function sourceUris(baseUrl: string): SourceUris {
  return {
    sourceDescription: documentUri(baseUrl, { kind: 'sourceDescription' }),
    frameworkTopic: documentUri(baseUrl, { kind: 'frameworkTopic' }),
    descriptionPart: (part) => documentUri(baseUrl, { kind: 'sourceDescriptionPart', part }),
    ofSet: (set) => ({
      home: setHome(baseUrl, set),
      capabilityList: documentUri(baseUrl, { kind: 'capabilityList', set }),
    }),
  };
}

/** ResourceSync 1.1, 9: one document for each capability. */
function planCapabilityList({ published, uri }: SetInput): DocumentPlan {
  const { set, baseUrl, uris, folder, fingerprint } = published;
  const newest = set.epochStart;
  const capabilities = listedKindsOf(set).flatMap((kind) => {
    const { capability }: SetRow = DOCUMENTS[kind];
    if (capability === undefined || kind === 'capabilityList') return [];
    return [{ uri: documentUri(baseUrl, { kind, set: set.slug }), capability: capability.name }];
  });
  const { sourceDescription, home: describedBy } = uris;
  const channel =
    published.hub === undefined
      ? undefined
      : ({ topic: uris.changeTopic, capability: 'change-notification', hub: published.hub } as const);
  const text = () => renderCapabilityList({ sourceDescription, describedBy, capabilities, channel });
  return {
    reference: {
      folder,
      name: documentName(uri),
      version: newest,
      fingerprint: digest(fingerprint, capabilities, channel),
    },
    making: () => ({ newest, job: { kind: 'text', text: text() } }),
  };
}

function rows(): readonly (SourceRow | SetRow)[] {
  return Object.values(DOCUMENTS);
}
