import { IngestFailure } from '../ingest-failure.ts';
import type { HtmlBiblio } from '../landing/biblio.ts';
import type { Landing } from '../landing/landing.ts';
import type { AskedDataset, DatasetPlatform, PlatformClient, PlatformDataset } from '../platform.ts';
import { checkedManifest } from './checked-manifest.ts';
import { persistentIdOf, platformIdOf } from './signposted/identity.ts';
import { itemMetadata } from './signposted/item-metadata.ts';
import { textIn } from './signposted/json-ld.ts';
import { contextOf, type LinkContext, readLinkset } from './signposted/linkset.ts';
import { fileOfLink, type ListedFile } from './signposted/listed-file.ts';
import { describesDataset, readSchemaDataset, type SchemaDataset } from './signposted/schema-dataset.ts';

/**
 * Any landing page that lists its files for machines: by a set of links (FAIR Signposting, level 2), or as a Dataset of
 * schema.org: PANGAEA, Dryad, Mendeley Data, 4TU, DSpace and others. Links in its header alone are no manifest (d18).
 */
export const signposted: DatasetPlatform = {
  name: 'signposted',

  matchRequest(_request, { isHtml, signposts, jsonLd }) {
    return isHtml && (signposts.some(({ rel }) => rel === 'linkset' || rel === 'item') || describesDataset(jsonLd));
  },

  async processRequest(asked, client) {
    const { landing, biblio } = asked;
    const { context, failure } = await linksOf(asked, client);
    const cited = context?.links['cite-as'][0]?.href ?? landing.signposts.find(({ rel }) => rel === 'cite-as')?.href;
    const dataset = readSchemaDataset(
      landing,
      [cited, biblio?.doi].filter((one) => one !== undefined),
    );
    const files = completeList(landing, { linked: context?.links.item.map(fileOfLink) ?? [], dataset, failure });
    return describe({ landing, biblio, files, dataset, context, cited });
  },
};

/** The links of the page's dataset. That they cannot be read is a failure only where nothing else lists the files. */
async function linksOf({ landing }: AskedDataset, client: PlatformClient) {
  try {
    const contexts = await readLinkset(landing, client);
    return { context: contexts && contextOf(contexts, landing) };
  } catch (error) {
    if (!(error instanceof IngestFailure) || error.status === 'error-platform-download') throw error;
    return { failure: error };
  }
}

interface Lists {
  readonly linked: readonly ListedFile[];
  readonly dataset: SchemaDataset | undefined;
  /** Why the set of links could not be read. */
  readonly failure: IngestFailure | undefined;
}

/**
 * The list that names as many files as any other list of the page: of two, the one that states more sizes and hashes.
 */
function completeList(landing: Landing, { linked, dataset, failure }: Lists): readonly ListedFile[] {
  const inHeader = new Set(landing.signposts.filter(({ rel }) => rel === 'item').map(({ href }) => href)).size;
  const lists = [distinct(linked), dataset?.files ?? []];
  const most = Math.max(inHeader, ...lists.map(({ length }) => length));
  if (most === 0) throw failure ?? emptyManifest(landing);
  const complete = lists.filter(({ length }) => length === most);
  if (complete.length === 0) throw failure ?? incomplete(landing, inHeader);
  return complete.toSorted((one, other) => stated(other) - stated(one))[0]!;
}

function distinct(files: readonly ListedFile[]): readonly ListedFile[] {
  return [...new Map(files.toReversed().map((file) => [file.url, file])).values()].toReversed();
}

function stated(files: readonly ListedFile[]): number {
  return files.filter(({ size, hashes }) => size !== undefined || hashes.length > 0).length;
}

interface Described {
  readonly landing: Landing;
  readonly biblio: HtmlBiblio | undefined;
  readonly files: readonly ListedFile[];
  readonly dataset: SchemaDataset | undefined;
  readonly context: LinkContext | undefined;
  /** What `cite-as` links. */
  readonly cited: string | undefined;
}

function describe({ landing, biblio, files, dataset, context, cited }: Described): PlatformDataset {
  const persistentId = persistentIdOf({ cited, node: dataset?.node, doi: biblio?.doi });
  return {
    platformName: signposted.name,
    platformDomain: new URL(landing.url).host,
    platformId: platformIdOf(persistentId, landing.url),
    version: dataset && textIn(dataset.node, 'version'),
    persistentId,
    landingUrl: landing.url,
    files: checkedManifest(files.map((file, at) => ({ ...file, id: String(at + 1), platformUrl: file.url }))),
    archiveorgMetadata: itemMetadata({
      node: dataset?.node ?? {},
      title: biblio?.title,
      license: context?.links.license[0]?.href ?? landing.signposts.find(({ rel }) => rel === 'license')?.href,
    }),
    webBaseUrl: landing.url,
  };
}

function emptyManifest({ url }: Landing): IngestFailure {
  const message = `${url} describes a dataset, but lists no files: neither by a set of links (rel=linkset) nor as distribution of schema.org`;
  return new IngestFailure('empty-manifest', message);
}

function incomplete({ url }: Landing, count: number): IngestFailure {
  const message = `${url} links ${count} files in its header, which may be some of them; its complete list names fewer, or is missing: ask its publisher for a set of links (rel=linkset) with all`;
  return new IngestFailure('bad-manifest', message);
}
