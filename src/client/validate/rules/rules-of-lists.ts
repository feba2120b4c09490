import type { RuleSection } from './rule-entry.ts';

const ONE_DESCRIPTION = 'at most 50,000 sets';

/** Sections A to F: all documents, descriptions, Capability Lists, Resource Lists. */
export const RULES_OF_LISTS: readonly RuleSection[] = [
  {
    title: 'All documents (4, 6, 7)',
    rules: [
      [
        1,
        'MUST',
        'The root is urlset or sitemapindex of the Sitemap namespace; extensions are of the ResourceSync namespace',
        'documents',
      ],
      [2, 'MUST', 'One rs:md below the root, with capability', 'documents'],
      [3, 'MUST', 'capability is one of eight; a document and its index have the same', 'documents'],
      [4, 'MUST', 'Attributes have no prefix; others than those of the specification do', 'documents'],
      [5, 'MUST', 'An entry has one loc and no attributes', 'documents'],
      [6, 'MUST', 'An entry has at most one rs:md', 'documents'],
      [7, 'MUST', 'A link has href and rel', 'documents'],
      [8, 'MUST', 'rel is a registered name or a URI', 'documents'],
      [9, 'MUST', 'pri is 1 to 999,999', 'documents'],
      [10, 'MUST', 'Datetimes are W3C Datetime, complete and in UTC', 'documents'],
      [11, 'MUST', 'at and completed only in lists of resources, from and until only in lists of changes', 'documents'],
      [12, 'MUST', 'length is that of the bytes that GET returns', 'source'],
      [13, 'SHOULD', 'encoding equals Content-Encoding', 'source'],
      [14, 'MUST', 'hash is a list of algorithm:hex, of the bytes that GET returns', 'source'],
      [15, 'MUST', 'type is the media type of what GET returns', 'source'],
      [16, 'MUST', 'hash, length and type describe what loc itself answers with', 'source'],
      [17, 'SHOULD', 'lastmod is the Last-Modified of the resource', 'source'],
      [18, 'MAY', 'changefreq is one of seven words', 'documents'],
      [
        19,
        'MUST',
        'Order: the document’s own rs:ln and rs:md first; loc, lastmod, changefreq, priority, rs:md, rs:ln in an entry',
        'documents',
      ],
      [20, 'MUST', 'loc is an absolute URI of 12 to 2,048 characters', 'documents'],
      [21, 'note', 'A list may be empty, which other schemas refuse', 'schema'],
      [22, 'note', 'rs:md has datetime, which an old schema lacks', 'schema'],
      [23, 'note', 'Media types have dots and parameters, which an old schema refuses', 'schema'],
    ],
  },
  {
    title: 'Limits and paging (7, 10.2)',
    rules: [
      [24, 'MUST', 'At most 50,000 entries and 50 MB (52,428,800 bytes, uncompressed) a document', 'documents'],
      [25, 'MUST', 'At most 50,000 parts in an index; no index of indexes', 'documents'],
      [26, 'MAY', 'A document may come with gzip; the limit is on the same bytes without', 'source'],
      [27, 'SHOULD', 'Each part links to its index', 'documents'],
      [28, 'note', 'An advertised URI may lead to a list or to its index', 'documents'],
    ],
  },
  {
    title: 'Navigation and discovery (6.2, 6.3)',
    rules: [
      [29, 'MUST', 'up of a Capability List is the Source Description', 'documents'],
      [30, 'MUST', 'up of a list, an index and a part is the Capability List', 'documents'],
      [31, 'MUST', 'There is a Source Description, at /.well-known/resourcesync', 'source'],
      [32, 'MAY', 'A page that links to a Capability List is covered by it', 'source'],
      [33, 'MAY', 'A resource whose header links to a Capability List is covered by it', 'source'],
      [34, 'MAY', 'The lists and sitemaps that robots.txt names can be read', 'source'],
      [35, 'MUST', 'Following up ends at the Source Description', 'documents'],
    ],
  },
  {
    title: 'Source Description (8)',
    rules: [
      [36, 'MUST', 'urlset with capability description', 'documents'],
      [37, 'SHOULD', 'Links to a document about the source', 'documents'],
      [38, 'SHOULD', 'One entry for each Capability List', 'source'],
      [39, 'SHOULD', 'Each entry links to a document about the set', 'documents'],
      [40, 'SHOULD', 'No lastmod', 'documents'],
      [
        41,
        'MUST',
        `Several Source Descriptions have an index (there is only one here: ${ONE_DESCRIPTION})`,
        'documents',
      ],
      [42, 'MUST', 'Nothing is above it: no up', 'documents'],
    ],
  },
  {
    title: 'Capability List (9)',
    rules: [
      [43, 'MUST', 'urlset with capability capabilitylist and up', 'documents'],
      [44, 'SHOULD', 'Links to a document about the set', 'documents'],
      [45, 'MUST', 'Each entry has loc and capability', 'documents'],
      [46, 'MUST', 'One entry for each capability', 'documents'],
      [47, 'MUST', 'Different sets have different Capability Lists', 'documents'],
      [48, 'MUST', 'All capabilities cover the same resources', 'source'],
      [49, 'SHOULD', 'No lastmod', 'documents'],
      [50, 'SHOULD', 'No index of Capability Lists', 'documents'],
    ],
  },
  {
    title: 'Resource List and its index (10)',
    rules: [
      [51, 'MUST', 'capability resourcelist and at', 'documents'],
      [52, 'MUST', 'Every change up to at is in it', 'source'],
      [53, 'SHOULD', 'One entry for each resource, with nothing that belongs to a change', 'documents'],
      [54, 'MUST', 'The list, or its parts together, is the whole set', 'source'],
      [
        55,
        'MUST',
        'The index has at and up; its entries at most at (that of the part), completed and lastmod',
        'documents',
      ],
      [56, 'MUST', 'No resource twice', 'documents'],
    ],
  },
];
