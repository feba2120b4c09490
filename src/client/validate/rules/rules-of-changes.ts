import type { RuleSection } from './rule-entry.ts';

/** Sections G to P: dumps, Change Lists, links, archives, notifications, and needs of clients. */
export const RULES_OF_CHANGES: readonly RuleSection[] = [
  {
    title: 'Resource Dump (11.1)',
    rules: [
      [57, 'MUST', 'urlset with capability resourcedump, and at', 'packages'],
      [58, 'SHOULD', 'One entry for each package, with type and length; the package is what they say', 'packages'],
      [59, 'MUST', 'A linked copy of a manifest is the one in the package', 'packages'],
      [60, 'SHOULD', 'All packages are ZIP files', 'packages'],
      [61, 'MUST', 'Several dumps have an index, and all of its parts can be read', 'packages'],
    ],
  },
  {
    title: 'Resource Dump Manifest (11.2)',
    rules: [
      [62, 'MUST', 'manifest.xml is at the top level of the package', 'packages'],
      [63, 'MUST', 'capability resourcedump-manifest, and at', 'packages'],
      [64, 'MUST', 'Each entry has loc and path', 'packages'],
      [65, 'MUST', 'path begins with a slash, and does not end with one', 'packages'],
      [66, 'SHOULD', 'Each entry has a type', 'packages'],
      [67, 'MUST', 'Each path is in the package, with the length and the hash of its entry', 'packages'],
    ],
  },
  {
    title: 'Change List (12.1)',
    rules: [
      [68, 'MUST', 'capability changelist, and from', 'documents'],
      [69, 'MUST', 'Entries are in the order of time', 'documents'],
      [70, 'MUST', 'A resource that changed several times appears as often', 'source'],
      [71, 'MUST', 'Each entry has loc, and change: created, updated or deleted', 'documents'],
      [72, 'SHOULD', 'Each entry has datetime', 'documents'],
      [73, 'MUST', 'datetime is between from and until', 'documents'],
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
      [82, 'MUST', 'capability changelist, and from', 'documents'],
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
  {
    title: 'Change Dump (13.1)',
    rules: [
      [86, 'MUST', 'capability changedump, and from', 'packages'],
      [87, 'SHOULD', 'Packages are in the order of time', 'packages'],
      [88, 'SHOULD', 'One entry for each package, with type and length; the package is what they say', 'packages'],
      [89, 'SHOULD', 'All packages are of one format', 'packages'],
      [90, 'MUST', 'A linked copy of a manifest is the one in the package', 'packages'],
      [91, 'MUST', 'A package has a bitstream for each change', 'packages'],
      [92, 'MUST', 'Several dumps have an index, and all of its parts can be read', 'packages'],
    ],
  },
  {
    title: 'Change Dump Manifest (13.2)',
    rules: [
      [93, 'MUST', 'manifest.xml has capability changedump-manifest, and from', 'packages'],
      [94, 'MUST', 'Entries are in the order of time', 'packages'],
      [95, 'MUST', 'Each entry has loc and change, and path unless it was deleted', 'packages'],
      [96, 'MUST', 'Each path is in the package, with the length and the hash of its entry', 'packages'],
      [97, 'SHOULD', 'Each entry has a type unless it was deleted', 'packages'],
    ],
  },
  {
    title: 'Links to related resources (14)',
    rules: [
      [98, 'MAY', 'duplicate leads to a mirror, and does not repeat what the entry says', 'documents'],
      [99, 'SHOULD', 'alternate has a type', 'documents'],
      [100, 'MAY', 'canonical leads to the generic URI', 'documents'],
      [101, 'MUST', 'A patch has a type, and belongs to a change', 'documents'],
      [102, 'MUST', 'describedby and describes lead to entries of their own, perhaps in another set', 'source'],
      [103, 'SHOULD', 'A timegate has no other attributes', 'documents'],
      [104, 'MAY', 'collection leads to a collection', 'documents'],
      [105, 'MUST', 'via leads to the original source', 'documents'],
      [106, 'MAY', 'Links of these relations are in entries of lists and manifests', 'documents'],
    ],
  },
  {
    title: 'Archives',
    rules: [
      [107, 'MUST', 'An archive has the capability of what it archives, with -archive', 'documents'],
      [108, 'SHOULD', 'A list or dump links to its archive', 'documents'],
      [109, 'MUST', 'An archive has no time of its own', 'documents'],
      [110, 'MUST', 'Its entries have at, or from and until, and the oldest is first', 'documents'],
      [111, 'MUST', 'Only what is finished is in an archive', 'documents'],
    ],
  },
  {
    title: 'Notification',
    rules: [
      [112, 'note', 'Notifications are sent by WebSub', 'subscribers'],
      [113, 'MUST', 'A channel of changes is named in the Capability List', 'subscribers'],
      [114, 'MUST', 'A channel of the framework is named in the Capability List of its set', 'subscribers'],
      [115, 'MUST', 'The entry of a channel has the topic as loc, and a link to the hub', 'subscribers'],
      [116, 'MUST', 'The topic answers with links to its hub and to itself', 'subscribers'],
      [117, 'note', 'The source posts what changed to the hub', 'subscribers'],
      [118, 'note', 'The hub passes it on to those that subscribed', 'subscribers'],
    ],
  },
  {
    title: 'What clients in use need',
    rules: [
      [119, 'note', 'One hash, unless the set asks for more', 'documents'],
      [120, 'note', 'lastmod has whole seconds and equals Last-Modified', 'source'],
      [121, 'note', 'Hash, length and lastmod of every resource that is served here', 'source'],
      [122, 'note', 'Resources are on the host of their lists', 'documents'],
      [123, 'note', 'The lists have the names resourcelist.xml and changelist.xml', 'documents'],
      [124, 'note', 'robots.txt does not name the lists: search engines complain about them', 'source'],
    ],
  },
];
