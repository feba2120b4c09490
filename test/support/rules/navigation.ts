import {
  capabilityOf,
  each,
  eachOf,
  entriesOf,
  isIndex,
  linksOf,
  locOf,
  md,
  named,
  partsOf,
  type Rule,
  repeated,
  type Source,
  wrong,
} from './source.ts';

const LISTS = ['resourcelist', 'changelist'];

const leadsToCapability = (source: Source, uri: string | undefined, capability: string) =>
  capabilityOf(source.documents.get(uri ?? '') ?? NOTHING) === capability;

const NOTHING = { uri: '', text: '', bytes: 0, root: { name: '', attributes: {}, children: [], text: '' } };

/** Whether the set of a Capability List holds a resource. */
const covers = (source: Source, capabilityList: string, uri: string) =>
  [...source.documents.values()].some(
    (document) =>
      capabilityOf(document) === 'resourcelist' &&
      linksOf(document.root, 'up').includes(capabilityList) &&
      entriesOf(document).some((entry) => locOf(entry) === uri),
  );

const isAdvertising = (rels: string) => rels.toLowerCase().split(/\s+/).includes('resourcesync');

/** URIs of the links to Capability Lists in the text of a page. */
const linksInPage = (page: string) =>
  [...page.matchAll(/<link\b([^>]*)>/gi)]
    .map(
      ([, text]) =>
        new Map(
          [...text!.matchAll(/([\w-]+)\s*=\s*["']?([^"'>]*)/g)].map(([, name, value]) => [name!.toLowerCase(), value]),
        ),
    )
    .filter((attributes) => isAdvertising(attributes.get('rel') ?? ''))
    .map((attributes) => attributes.get('href') ?? '');

/** URIs of the links to Capability Lists in a header `Link` (RFC 8288, 3). */
const linksInHeader = (header: string) =>
  [...header.matchAll(/<([^>]*)>([^<]*)/g)]
    .filter(([, , parameters]) => isAdvertising(/;\s*rel\s*=\s*"?([^";,]*)/i.exec(parameters!)?.[1] ?? ''))
    .map(([, href]) => href!);

/** Sections B (parts) to E of the rules: how one comes from document to document, descriptions and Capability Lists. */
export const NAVIGATION: Readonly<Record<number, Rule>> = {
  27: each((document, source) =>
    (isIndex(document) ? partsOf(source, document) : [])
      .filter(({ root }) => linksOf(root, 'index').join() !== document.uri)
      .map(({ uri }) => `${uri} does not link to it`),
  ),
  28: eachOf('capabilitylist', (list, source) =>
    entriesOf(list)
      .filter((entry) => !leadsToCapability(source, locOf(entry), md(entry).capability ?? ''))
      .map((entry) => `${locOf(entry)} is neither list nor index of ${md(entry).capability}`),
  ),
  29: eachOf('capabilitylist', ({ root }, { description }) =>
    wrong(linksOf(root, 'up').join() !== description, `up is ${linksOf(root, 'up')}`),
  ),
  30: each((document, source) => {
    const up = linksOf(document.root, 'up');
    const isRight = up.length === 1 && leadsToCapability(source, up[0], 'capabilitylist');
    return wrong(LISTS.includes(capabilityOf(document) ?? '') && !isRight, `up is ${up}`);
  }),
  31: ({ description, documents }) =>
    wrong(!description.endsWith('/.well-known/resourcesync') || !documents.has(description), 'no Source Description'),
  32: (source) =>
    [...source.answers].flatMap(([uri, { headers, body }]) =>
      (headers['content-type']?.startsWith('text/html') ? linksInPage(body.toString()) : [])
        .filter((list) => !covers(source, new URL(list, uri).href, uri))
        .map((list) => `${list} does not cover ${uri}`),
    ),
  33: (source) =>
    [...source.answers].flatMap(([uri, { headers }]) =>
      linksInHeader(headers.link ?? '')
        .filter((list) => !covers(source, new URL(list, uri).href, uri))
        .map((list) => `${list} does not cover ${uri}`),
    ),
  35: each((document, source) => {
    let uri: string | undefined = document.uri;
    for (let steps = 0; steps < 3 && uri !== source.description; steps++) {
      uri = linksOf(source.documents.get(uri!)?.root ?? NOTHING.root, 'up')[0] ?? '';
    }
    return wrong(uri !== source.description, 'up does not lead to the Source Description');
  }),
  36: ({ description, documents }) => {
    const document = documents.get(description) ?? NOTHING;
    return wrong(document.root.name !== 'urlset' || capabilityOf(document) !== 'description', 'no description');
  },
  37: eachOf('description', ({ root }) => wrong(linksOf(root, 'describedby').length === 0, 'has no describedby')),
  38: eachOf('description', (document, { truth }) => {
    const listed = entriesOf(document).map(locOf);
    return [
      ...entriesOf(document)
        .filter((entry) => locOf(entry) === '' || (md(entry).capability ?? 'capabilitylist') !== 'capabilitylist')
        .map((entry) => `${locOf(entry)} is no Capability List`),
      ...[...truth.keys()].filter((uri) => !listed.includes(uri)).map((uri) => `${uri} is left out`),
    ];
  }),
  39: eachOf('description', (document) =>
    entriesOf(document)
      .filter((entry) => linksOf(entry, 'describedby').length === 0)
      .map((entry) => `${locOf(entry)} has no describedby`),
  ),
  40: eachOf('description', (document) =>
    wrong(
      entriesOf(document).some((entry) => named(entry, 'lastmod').length > 0),
      'has lastmod',
    ),
  ),
  41: ({ description, documents }) => {
    const all = [...documents.values()].filter((document) => capabilityOf(document) === 'description');
    const head = documents.get(description) ?? NOTHING;
    return wrong(all.length > 1 && !isIndex(head), 'several Source Descriptions without an index');
  },
  42: eachOf('description', ({ root }) => wrong(linksOf(root, 'up').length > 0, 'has up')),
  43: ({ description, documents }) =>
    entriesOf(documents.get(description) ?? NOTHING)
      .map((entry) => documents.get(locOf(entry)) ?? NOTHING)
      .filter(
        (list) =>
          list.root.name !== 'urlset' ||
          capabilityOf(list) !== 'capabilitylist' ||
          linksOf(list.root, 'up').length !== 1,
      )
      .map(({ uri }) => `${uri} is no Capability List`),
  44: eachOf('capabilitylist', ({ root }) => wrong(linksOf(root, 'describedby').length === 0, 'has no describedby')),
  45: eachOf('capabilitylist', (list) =>
    entriesOf(list)
      .filter((entry) => locOf(entry) === '' || md(entry).capability === undefined)
      .map((entry) => `${locOf(entry)} has no loc or capability`),
  ),
  46: eachOf('capabilitylist', (list) => repeated(entriesOf(list).map((entry) => md(entry).capability ?? ''))),
  47: (source) => {
    const lists = [...source.documents.values()].filter((document) => capabilityOf(document) === 'capabilitylist');
    const named = entriesOf(source.documents.get(source.description) ?? NOTHING).map(locOf);
    return [...repeated(named), ...repeated(lists.flatMap((list) => entriesOf(list).map(locOf)))];
  },
  49: eachOf('capabilitylist', (list) =>
    wrong(
      entriesOf(list).some((entry) => named(entry, 'lastmod').length > 0),
      'has lastmod',
    ),
  ),
  50: eachOf('capabilitylist', (list) => wrong(isIndex(list), 'is an index')),
};
