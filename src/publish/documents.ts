import { traitsOf } from '../core/origin.ts';
import type { ResourceSet } from '../core/resource-set.ts';
import { oaiBase, setHome } from '../core/set-uris.ts';
import { fingerprint as digest } from './cache/document-reference.ts';
import type { DocumentPlan, RequestedRange, SetInput, SourceUris } from './document-plan.ts';
import { documentName } from './pages/document-name.ts';
import type { SetUris } from './published-set.ts';
import { renderCapabilityList } from './render/documents/capability-list.ts';
import type { Channel } from './render/documents/notification.ts';
import type { Relation } from './render/documents/sitemap.ts';
import { CHANGE_LIST_ROWS } from './rows/change-list-rows.ts';
import { DUMP_ROWS } from './rows/dump-rows.ts';
import { SOURCE_ROWS } from './rows/navigation-rows.ts';
import { RESOURCE_LIST_ROWS } from './rows/resource-list-rows.ts';
import type { DocumentRow, DocumentTexts, SetRow, SourceRow } from './rows/row.ts';

export type { DocumentRow, Relation, SetRow };

/**
 * All documents that are published. Routes, addresses, the Capability List, the API and its description, and web pages
 * are derived from the rows. To add a document, write its renderer, and a row in `rows/`. A path that the parameter of
 * another path would match must come before that one. The plan determines the current version, and whether it may be
 * cached for ever.
 */
export const DOCUMENTS = {
  ...SOURCE_ROWS,
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
  ...RESOURCE_LIST_ROWS,
  ...CHANGE_LIST_ROWS,
  ...DUMP_ROWS,
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
} & (Table[Kind] extends { readonly takesRange: true } ? { readonly range?: RequestedRange | undefined } : unknown);

/**
 * Names a document by its kind and the parameters of its path: `{ kind: 'resourceListPage', set: 'maps', name:
 * '1-00000002' }`.
 */
export type DocumentKey = { readonly [Kind in DocumentKind]: KeyOf<Kind> }[DocumentKind];
export type SetDocumentKey = Extract<DocumentKey, { readonly set: string }>;
export type SourceDocumentKey = Exclude<DocumentKey, SetDocumentKey>;

/** Kinds of documents of which a set has one, as listed by the API and on the page of the set. */
export type ListedKind = {
  readonly [Kind in DocumentKind]: Table[Kind] extends { readonly listed: DocumentTexts } ? Kind : never;
}[DocumentKind];

export const DOCUMENT_KINDS = Object.keys(DOCUMENTS) as readonly DocumentKind[];
/** The texts of a path, alternating with the names of its parameters. */
const PATH_PARTS = new Map(DOCUMENT_KINDS.map((kind) => [kind, DOCUMENTS[kind].path.split(/:([a-z]+)/)]));
const LISTED_KINDS = DOCUMENT_KINDS.filter((kind) => 'listed' in DOCUMENTS[kind]) as readonly ListedKind[];

/** Labels of capabilities. */
export const CAPABILITY_LABELS: Readonly<Record<string, string>> = Object.fromEntries(
  rows().flatMap(({ capability }) => (capability === undefined ? [] : [[capability.name, capability.label]])),
);

/** Makes a value for each listed kind, in the order of the table. */
export function byListedKind<Value>(toValue: (kind: ListedKind) => Value): Readonly<Record<ListedKind, Value>> {
  return Object.fromEntries(LISTED_KINDS.map((kind) => [kind, toValue(kind)])) as Record<ListedKind, Value>;
}

/** The listed kinds of a set, in the order of the table. */
export function listedKindsOf(set: ResourceSet): readonly ListedKind[] {
  return LISTED_KINDS.filter((kind) => isOf(kind, set));
}

/** Whether only some sets have such a document. */
export function isOptional(kind: ListedKind): boolean {
  return (DOCUMENTS[kind] as SetRow).isOf !== undefined;
}

function isOf(kind: ListedKind, set: ResourceSet): boolean {
  return (DOCUMENTS[kind] as SetRow).isOf?.(set) !== false;
}

/** @param fields the parameters of its path, and other fields of the key */
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
    ...byListedKind((kind) => documentUri(baseUrl, { kind, set })),
    changeTopic: documentUri(baseUrl, { kind: 'changeTopic', set }),
    frameworkTopic: documentUri(baseUrl, { kind: 'frameworkTopic', set }),
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
    changeDumpPart: (part) => documentUri(baseUrl, { kind: 'changeDumpPart', set, part }),
    changeDumpArchivePart: (part) => documentUri(baseUrl, { kind: 'changeDumpArchivePart', set, part }),
    archivedChangeDump: (name) => documentUri(baseUrl, { kind: 'archivedChangeDump', set, name }),
    dumpPackage: (name) => `${setHome(baseUrl, set)}dumps/${name}.zip`,
    changePackage: (name) => `${setHome(baseUrl, set)}changedumps/${name}.zip`,
    changeManifest: (name) => `${setHome(baseUrl, set)}changedumps/${name}.xml`,
    dumpManifest: (name) => `${setHome(baseUrl, set)}dumps/${name}.xml`,
  };
}

export function sourceUris(baseUrl: string): SourceUris {
  return {
    sourceDescription: documentUri(baseUrl, { kind: 'sourceDescription' }),
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
  const { hub } = published;
  // Only of sets of records: documents of others keep their bytes.
  const oai = traitsOf(set.origin).entry === 'record' ? oaiBase(baseUrl, set.slug) : undefined;
  const channels: readonly Channel[] =
    hub === undefined
      ? []
      : [
          { topic: uris.changeTopic, capability: 'change-notification', hub },
          { topic: uris.frameworkTopic, capability: 'framework-notification', hub },
        ];
  const text = () => renderCapabilityList({ sourceDescription, describedBy, oai, capabilities, channels });
  return {
    reference: {
      folder,
      name: documentName(uri),
      version: newest,
      fingerprint: digest(fingerprint, capabilities, channels, ...(oai === undefined ? [] : [oai])),
    },
    task: () => ({ newest, job: { kind: 'text', text: text() } }),
  };
}

function rows(): readonly (SourceRow | SetRow)[] {
  return Object.values(DOCUMENTS);
}
