import { IngestFailure } from '../../ingest-failure.ts';
import type { Landing } from '../../landing/landing.ts';
import { isA, isNode, type JsonLdGraph, type Node, readGraph, textOf, valuesOf } from './json-ld.ts';
import { fileOfNode, type ListedFile } from './listed-file.ts';

/** The Dataset of schema.org that a landing page describes. */
export interface SchemaDataset {
  readonly node: Node;
  readonly files: readonly ListedFile[];
}

/** A page of one dataset may mention some others; the files of each are read. */
const MOST_DATASETS = 20;
/** No dataset may have more than 10,000 (the setting datasetFiles): of one with more, that is enough to refuse it. */
const MOST_FILES = 10_001;

/** Whether a page has a Dataset in its JSON-LD. */
export function describesDataset(jsonLd: readonly string[]): boolean {
  return jsonLd.some((text) => text.includes('Dataset')) && readGraph(jsonLd).nodes.some(isDataset);
}

/**
 * The Dataset of the page, and its files: `distribution`, or the files of a crate (`hasPart`).
 * @param identifiers what names the dataset, besides the URLs of the landing page
 * @throws IngestFailure `platform-scope` for several datasets, or for a collection of others; `platform-restricted`;
 *   `bad-platform-reply`
 */
export function readSchemaDataset(landing: Landing, identifiers: readonly string[]): SchemaDataset | undefined {
  const graph = readGraph(landing.jsonLd);
  const known = new Set([...landing.hops, landing.url, ...identifiers].map(comparable));
  const fileOf = fileReader(landing.url);
  const nodes = mainDatasets(graph);
  if (nodes.length > MOST_DATASETS) throw several(landing, nodes.length);
  const datasets = nodes.map((node) => ({ node, files: filesOf(node, { graph, landing, fileOf }) }));
  const named = datasets.filter(({ node }) => namesOf(node).some((name) => known.has(comparable(name))));
  const fullest = named.toSorted((one, other) => other.files.length - one.files.length)[0];
  const filled = datasets.filter(({ files }) => files.length > 0);
  const chosen = fullest ?? (filled.length === 1 ? filled[0] : datasets.length === 1 ? datasets[0] : undefined);
  if (chosen === undefined) {
    if (datasets.length === 0) return undefined;
    throw several(landing, datasets.length);
  }
  requireWhole(chosen, graph, landing);
  return chosen;
}

function requireWhole({ node, files }: SchemaDataset, graph: JsonLdGraph, landing: Landing): void {
  if (files.length === 0 && partsOf(node, graph).some(isDataset)) {
    throw scope(landing, 'is of a collection of datasets: request each of them');
  }
  if (!valuesOf(node, 'isAccessibleForFree').some((free) => /^false$/i.test(textOf(free) ?? String(free)))) return;
  const message = `${landing.url} says that its files are not accessible: ask its publisher, or wait for the end of the embargo`;
  throw new IngestFailure('platform-restricted', message);
}

/** Datasets that are no part of another one; references to them are left out. */
function mainDatasets(graph: JsonLdGraph): readonly Node[] {
  const all = [
    ...new Set(
      graph.nodes
        .filter(isDataset)
        .map((node) => graph.resolve(node))
        .filter(isNode),
    ),
  ];
  const parts = new Set(all.flatMap((node) => partsOf(node, graph)));
  return all.filter((node) => !parts.has(node));
}

function isDataset(node: Node): boolean {
  return isA(node, 'Dataset');
}

function partsOf(node: Node, graph: JsonLdGraph): readonly Node[] {
  return valuesOf(node, 'hasPart')
    .map((part) => graph.resolve(part))
    .filter(isNode);
}

interface DescribedPage {
  readonly graph: JsonLdGraph;
  readonly landing: Landing;
  fileOf(node: Node): ListedFile | undefined;
}

/** Reads each node once: several datasets may refer to it. */
function fileReader(base: string): DescribedPage['fileOf'] {
  const read = new Map<Node, ListedFile | undefined>();
  return (node) => {
    if (!read.has(node)) read.set(node, fileOfNode(node, base));
    return read.get(node);
  };
}

/** The files of a crate, which may be in folders; else its distributions, without those that are the page itself. */
function filesOf(node: Node, { graph, landing, fileOf }: DescribedPage): readonly ListedFile[] {
  const found = new Map<string, ListedFile>();
  const add = (file: ListedFile | undefined) => {
    if (file !== undefined && !found.has(file.url) && !isThePage(file, landing)) found.set(file.url, file);
  };
  const folders = new Set([node]);
  for (const folder of folders) {
    for (const part of partsOf(folder, graph)) {
      if (found.size === MOST_FILES) break;
      if (isA(part, 'File', 'MediaObject', 'DataDownload')) add(fileOf(part));
      else if (isDataset(part) && /^(?![a-z]+:).*\/$/i.test(String(part['@id']))) folders.add(part);
    }
  }
  if (found.size > 0) return [...found.values()];
  for (const value of valuesOf(node, 'distribution').slice(0, MOST_FILES)) {
    const file = graph.resolve(value);
    if (typeof file === 'string') add(fileOf({ contentUrl: file }));
    else if (isNode(file)) add(fileOf(file));
  }
  return [...found.values()];
}

/** PANGAEA lists its page as a distribution of type text/html. */
function isThePage({ url, mimetype }: ListedFile, { hops, url: landingUrl }: Landing): boolean {
  if (url === landingUrl) return true;
  if (mimetype !== 'text/html') return false;
  return [...hops, landingUrl].some((hop) => comparable(url.replace(/\?.*$/s, '')) === comparable(hop));
}

function namesOf(node: Node): readonly string[] {
  return ['@id', 'url', 'identifier', 'sameAs']
    .flatMap((name) => (name === '@id' ? [node[name]] : valuesOf(node, name)))
    .map(textOf)
    .filter((text) => text !== undefined);
}

/** Without scheme, fragment, a last slash, and the prefix of a DOI. */
function comparable(name: string): string {
  const plain = name
    .replace(/#.*$/s, '')
    .replace(/^https?:\/\//i, '')
    .replace(/\/$/, '');
  return plain.replace(/^(?:(?:dx\.)?doi\.org\/|doi:)/i, '').toLowerCase();
}

function several(landing: Landing, count: number): IngestFailure {
  return scope(landing, `describes ${count} datasets: request the page of one of them`);
}

function scope({ url }: Landing, problem: string): IngestFailure {
  return new IngestFailure('platform-scope', `${url} ${problem}`);
}
