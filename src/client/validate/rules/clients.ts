import { capabilityOf, isIndex } from '../../read/document.ts';
import { atEntry, lesser, ofDocuments, ofEntries, type Problems, type Rules, wrong } from './rule.ts';
import { instantOf } from './times.ts';

const NAMES: Readonly<Record<string, string>> = { resourcelist: 'resourcelist.xml', changelist: 'changelist.xml' };
const OF_RESOURCES = ['resourcelist', 'changelist'];
const NONE: Problems = [];

/** Section P of the rules: what causes trouble for real clients. */
export const CLIENTS: Rules = {
  119: ofEntries(OF_RESOURCES, ({ md: { hash } }) =>
    wrong(hash !== undefined && /\S\s+\S/.test(hash), () => 'the entry has several hashes'),
  ),
  120: {
    entry: ({ lastmod }) =>
      wrong(lastmod?.includes('.') === true, () => `lastmod ${lastmod} has a fraction of a second`),
    answered: ({ lastmod }, { status, failure, changedLater, headers }) => {
      const modified = headers['last-modified'];
      const isRead = status === 200 && failure === undefined && !changedLater && lastmod !== undefined;
      return wrong(
        isRead && Date.parse(modified ?? '') !== instantOf(lastmod) / 1000,
        () => `lastmod ${lastmod}, but Last-Modified ${modified ?? 'missing'}`,
      );
    },
  },
  121: {
    answered: ({ lastmod, md }) => {
      const missing = [
        ...(lastmod === undefined ? ['lastmod'] : []),
        ...['hash', 'length'].filter((name) => md[name] === undefined),
      ];
      return wrong(missing.length > 0, () => `the entry has no ${missing.join(', no ')}`);
    },
  },
  122: {
    entry: ({ loc }, { document }) =>
      wrong(
        document.uri.startsWith('http') && !isNear(loc, document.uri),
        () => `${loc.slice(0, 200)} is on another host than ${document.uri}`,
      ),
  },
  123: ofDocuments(['capabilitylist'], (document) =>
    document.entries.flatMap((entry) => {
      const name = NAMES[entry.md.capability ?? ''];
      if (name === undefined || URL.parse(entry.loc)?.pathname.endsWith(`/${name}`)) return [];
      return [atEntry(document, entry, `${entry.loc} has another name than ${name}, which older clients expect`)];
    }),
  ),
  124: {
    source: ({ sitemaps, documents }) =>
      sitemaps.flatMap(({ uri }) => {
        const document = documents.get(uri);
        return document !== undefined && document.extensions.length > 0
          ? lesser(
              !isIndex(document) || capabilityOf(document) !== '',
              'note',
              () => `robots.txt names ${uri}, which has elements of ResourceSync`,
            )
          : NONE;
      }),
  },
};

/**
 * Whether a URI is on the host of a document, or on a subdomain of it. URIs of one host mostly have the same
 * beginning.
 */
function isNear(loc: string, uri: string): boolean {
  const end = uri.indexOf('/', 8) + 1;
  if (end > 0 && loc.startsWith(uri.slice(0, end))) return true;
  if (!URL.canParse(loc)) return true;
  const [resource, list] = [new URL(loc), new URL(uri)];
  return (
    resource.protocol === list.protocol &&
    (resource.hostname === list.hostname || resource.hostname.endsWith(`.${list.hostname}`))
  );
}
