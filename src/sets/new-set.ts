import { TidemarkError } from '../domain/errors.ts';
import type { HashAlgorithm } from '../domain/hash.ts';
import { strictUri } from '../domain/key.ts';
import {
  DEFAULT_PAGE_ENTRIES,
  DEFAULT_WINDOW_CHANGES,
  type Imported,
  parseSlug,
  type RecordsSource,
  type ResourceSet,
} from '../domain/resource-set.ts';
import type { Stamp } from '../domain/stamp.ts';
import { setUris } from '../publisher/document-uris.ts';

/** Characters of a prefix: some are left for what follows it in a URI, which has 2,048 at most. */
const MOST_PREFIX = 2000;

/** What a new set may be told; everything else has a default. */
export interface NewSet {
  readonly slug: string;
  readonly title?: string | undefined;
  readonly aliases?: readonly string[] | undefined;
  readonly root?: string | undefined;
  readonly records?: RecordsSource | undefined;
  readonly urlPrefix?: string | undefined;
  readonly resourceRootDir?: string | undefined;
  readonly exclude?: readonly string[] | undefined;
  readonly pageEntries?: number | undefined;
  readonly windowChanges?: number | undefined;
  readonly publishHashes?: readonly HashAlgorithm[] | undefined;
  readonly presignedSeconds?: number | undefined;
  readonly private?: boolean | undefined;
  /** For a set that is taken over: the boundary below its first change, above the store's last one. Else its history begins now. */
  readonly epochStart?: Stamp | undefined;
  readonly imported?: Imported | undefined;
}

/**
 * A set as it would be added, before it has an id.
 * @throws TidemarkError `invalid` for a slug or a prefix that is none
 */
export function draftSet(set: NewSet, baseUrl: string): Omit<ResourceSet, 'id' | 'epochStart'> {
  const slug = parseSlug(set.slug);
  return {
    slug,
    ...(set.title !== undefined && { title: set.title }),
    ...(set.aliases !== undefined && set.aliases.length > 0 && { aliases: set.aliases }),
    epoch: 1,
    urlPrefix: set.urlPrefix === undefined ? setUris(baseUrl, slug).resources : parseUrlPrefix(set.urlPrefix),
    ...(set.root !== undefined && { root: set.root }),
    ...(set.records !== undefined && { records: set.records }),
    ...(set.presignedSeconds !== undefined && { presignedSeconds: set.presignedSeconds }),
    ...resourceRootDir(set),
    exclude: set.exclude ?? [],
    pageEntries: set.pageEntries ?? DEFAULT_PAGE_ENTRIES,
    windowChanges: set.windowChanges ?? DEFAULT_WINDOW_CHANGES,
    publishHashes: set.publishHashes ?? [],
    ready: set.root === undefined && set.records === undefined && set.imported === undefined,
    ...(set.private === true && { private: true }),
    ...(set.imported !== undefined && { imported: set.imported }),
  };
}

function resourceRootDir({ resourceRootDir, root }: NewSet): { resourceRootDir?: string } {
  const folder = resourceRootDir ?? (root?.startsWith('/') ? root : undefined);
  return folder === undefined ? {} : { resourceRootDir: folder };
}

/** @throws TidemarkError `invalid` */
export function parseUrlPrefix(text: string): string {
  const url = URL.parse(text);
  if (url === null || !/^https?:$/.test(url.protocol) || url.search !== '' || url.hash !== '' || url.username !== '') {
    throw new TidemarkError('invalid', `"${text}" is no URL prefix: use http:// or https:// without a query`, {
      field: 'urlPrefix',
    });
  }
  const href = strictUri(url.href);
  const prefix = href.endsWith('/') ? href : `${href}/`;
  if (prefix.length <= MOST_PREFIX) return prefix;
  throw new TidemarkError('invalid', `the URL prefix has ${prefix.length} characters; at most ${MOST_PREFIX}`, {
    field: 'urlPrefix',
  });
}
