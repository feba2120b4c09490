/**
 * - `documents`: judged from the documents alone
 * - `source`: judged from what a source answers, from what it published before, or from what its owner knows
 * - `schema`: what our schemas must take, in test/unit/publish/documents-schema.test.ts
 * - `no`: does not apply, for the reason given
 */
export type Judged = 'documents' | 'source' | 'schema' | 'no';
export type Level = 'MUST' | 'SHOULD' | 'MAY' | 'note';
export type RuleEntry = readonly [number: number, level: Level, text: string, judged: Judged, reason?: string];

export interface RuleSection {
  readonly title: string;
  readonly rules: readonly RuleEntry[];
}

const NO_DUMPS = 'dumps are not published yet';
const NO_ARCHIVES = 'archives are not published yet';
const NO_NOTIFICATION = 'notifications are not sent yet';
const LINKS_AS_GIVEN = 'links are published as they were posted; only their form is checked (7, 8)';
const ONE_DESCRIPTION = 'at most 50,000 sets';

/** How many rules apply to what is published, of all. */
export function countRules(): { readonly applying: number; readonly all: number } {
  const rules = RULE_TABLE.flatMap((section) => section.rules);
  return { applying: rules.filter(([, , , judged]) => judged !== 'no').length, all: rules.length };
}

export const RULE_TABLE: readonly RuleSection[] = [
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
      [34, 'MAY', 'robots.txt names the Resource Lists', 'no', 'left out on purpose, see 124'],
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
  { title: 'Resource Dump (11.1)', rules: numbers(57, 61, NO_DUMPS) },
  { title: 'Resource Dump Manifest (11.2)', rules: numbers(62, 67, NO_DUMPS) },
  {
    title: 'Change List (12.1)',
    rules: [
      [68, 'MUST', 'capability changelist, from and up', 'documents'],
      [69, 'MUST', 'Entries are in the order of time', 'documents'],
      [70, 'MUST', 'A resource that changed several times appears as often', 'source'],
      [71, 'MUST', 'Each entry has loc, and change: created, updated or deleted', 'documents'],
      [72, 'SHOULD', 'Each entry has datetime', 'documents'],
      [73, 'MUST', 'datetime lies between from and until', 'documents'],
      [74, 'MUST', 'All changes since from are there', 'source'],
      [75, 'MUST', 'A list with until never changes again', 'source'],
      [76, 'MUST', 'The list without until takes the changes to come', 'source'],
      [77, 'SHOULD', 'No two changes of a resource have the same datetime', 'documents'],
      [78, 'MAY', 'An entry describes the state after the change, and none for deleted', 'source'],
      [79, 'SHOULD', 'until of one closed list is from of the next', 'documents'],
      [80, 'note', 'A closed list stays, and leads to its index', 'source'],
    ],
  },
  {
    title: 'Change List Index (12.2)',
    rules: [
      [81, 'MUST', 'Its entries are in the order of time', 'documents'],
      [82, 'MUST', 'capability changelist, from and up', 'documents'],
      [83, 'SHOULD', 'Each entry has the from of its part; until when closed, and only then', 'documents'],
      [84, 'note', 'At most one list is open, the last', 'documents'],
      [
        85,
        'note',
        'Names sort as times do, and a flat open list is beside the index, for a client that cannot read an index',
        'documents',
      ],
    ],
  },
  { title: 'Change Dump (13.1)', rules: numbers(86, 92, NO_DUMPS) },
  { title: 'Change Dump Manifest (13.2)', rules: numbers(93, 97, NO_DUMPS) },
  {
    title: 'Links to related resources (14)',
    rules: [
      [98, 'MAY', 'duplicate leads to a mirror, with pri', 'no', LINKS_AS_GIVEN],
      [99, 'SHOULD', 'alternate has a type', 'no', LINKS_AS_GIVEN],
      [100, 'MAY', 'canonical leads to the generic URI', 'no', LINKS_AS_GIVEN],
      [101, 'MUST', 'A patch has a type, and belongs to a change', 'documents'],
      [102, 'MUST', 'describedby and describes lead to entries of their own', 'no', LINKS_AS_GIVEN],
      [103, 'SHOULD', 'A timegate has no other attributes', 'documents'],
      [104, 'MAY', 'collection leads to a collection', 'no', LINKS_AS_GIVEN],
      [105, 'MUST', 'via leads to the original source', 'no', LINKS_AS_GIVEN],
      [106, 'MAY', 'Entries of lists may have links', 'no', LINKS_AS_GIVEN],
    ],
  },
  { title: 'Archives', rules: numbers(107, 111, NO_ARCHIVES) },
  { title: 'Notification', rules: numbers(112, 118, NO_NOTIFICATION) },
  {
    title: 'What clients in use need',
    rules: [
      [119, 'note', 'One hash, unless the set asks for more', 'documents'],
      [120, 'note', 'lastmod has whole seconds and equals Last-Modified', 'source'],
      [121, 'note', 'Hash, length and lastmod of every resource that is served here', 'source'],
      [122, 'note', 'Resources are on the host of their lists (unless the set’s prefix is elsewhere)', 'documents'],
      [123, 'note', 'The lists have the names resourcelist.xml and changelist.xml', 'documents'],
      [124, 'note', 'robots.txt does not name the lists: search engines complain about them', 'source'],
    ],
  },
];

function numbers(first: number, last: number, reason: string): readonly RuleEntry[] {
  return Array.from({ length: last - first + 1 }, (_, at) => [first + at, 'note', '', 'no', reason]);
}
