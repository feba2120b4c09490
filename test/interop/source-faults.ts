import type { ProxiedAnswer, Spoil } from './reverse-proxy.ts';

/** A rule's number, what is done wrong, and how to do it wrong between a source that is right and its reader. */
export type SourceFault = readonly [rule: number, title: string, spoil: Spoil];

const FIRST = /^\/sets\/files\/resources\/first\.txt$/;
const FILES = /^\/sets\/files\/resources\//;
const PAGES = /^\/sets\/files\/resourcelist-.*\.xml$/;
const WINDOWS = /^\/sets\/files\/changelist-.*\.xml$/;
const FIRST_WINDOW = /^\/sets\/files\/changelist-1-00000001\.xml$/;
const NOTES = /^\/sets\/notes\/changelist\.xml$/;
const RESOURCE_LISTS = /resourcelist.*\.xml$/;

const FIRST_ENTRY = /<url><loc>[^<]*\/first\.txt<\/loc>.*<\/url>\n/;
const ENTRY = /<url>.*<\/url>\n/;
const OPEN = /(<rs:md capability="changelist" from="[^"]*")\/>/;

/** Changes what a pattern of paths answers. */
const on =
  (pattern: RegExp, change: (answer: ProxiedAnswer, baseUrl: string) => Partial<ProxiedAnswer>): Spoil =>
  (path, answer, baseUrl) =>
    pattern.test(path) ? change(answer, baseUrl) : undefined;

const edit = (pattern: RegExp, from: string | RegExp, to: string): Spoil =>
  on(pattern, ({ body }) => ({ body: Buffer.from(body.toString().replace(from, to)) }));

const header = (pattern: RegExp, name: string, value: (before: string) => string): Spoil =>
  on(pattern, ({ headers }) => ({ headers: { ...headers, [name]: value(headers[name] ?? '') } }));

const without = (pattern: RegExp, name: string): Spoil =>
  on(pattern, ({ headers: { [name]: _, ...headers } }) => ({ headers }));

const gone = (pattern: RegExp): Spoil => on(pattern, () => ({ status: 404, body: Buffer.alloc(0) }));

const LINK_TO_FILES = ['</head>', '<link rel="resourcesync" href="/sets/files/capabilitylist.xml"></head>'] as const;

const other = (set: string, link: string) => link.replace('/sets/files/', `/sets/${set}/`);
const secondLater = (date: string) => new Date(Date.parse(date) + 1000).toUTCString();

export const SOURCE_FAULTS: readonly SourceFault[] = [
  [12, 'a resource has a byte more', on(FIRST, ({ body }) => ({ body: Buffer.concat([body, Buffer.from('!')]) }))],
  [12, 'a change has the length of other bytes', edit(WINDOWS, / length="/g, ' length="1')],
  [13, 'an encoding is named that the answer has not', edit(PAGES, '<rs:md hash', '<rs:md encoding="gzip" hash')],
  [
    14,
    'a byte of a resource is another one',
    on(FIRST, ({ body }) => ({ body: Buffer.from(body.toString().toUpperCase()) })),
  ],
  [14, 'resources that another server has are others', on(/^\/store\//, () => ({ body: Buffer.from('?') }))],
  [15, 'a resource comes with another type', header(FIRST, 'content-type', () => 'text/html')],
  [16, 'a listed resource is not there', gone(FIRST)],
  [16, 'a listed resource is elsewhere', on(FIRST, () => ({ status: 302, headers: { location: '/' } }))],
  [17, 'a resource has another Last-Modified', header(FIRST, 'last-modified', secondLater)],
  [
    26,
    'a document has other bytes with gzip',
    on(PAGES, ({ isPacked, body }) => (isPacked ? { body: body.subarray(1) } : {})),
  ],
  [31, 'there is no Source Description', gone(/^\/\.well-known\/resourcesync$/)],
  [32, 'the home page links to a set that does not have it', edit(/^\/$/, ...LINK_TO_FILES)],
  [32, 'the page of a set links to the set, which does not have it', edit(/^\/sets\/files\/$/, ...LINK_TO_FILES)],
  [33, 'a resource names another set as its own', header(FIRST, 'link', (link) => other('papers', link))],
  [34, 'robots.txt names a sitemap that is not there', gone(/^\/sets\/files\/sitemap\.xml$/)],
  [38, 'a set is left out of the Source Description', edit(/^\/\.well-known\/resourcesync$/, ENTRY, '')],
  [48, 'a listed resource has no change', edit(WINDOWS, new RegExp(FIRST_ENTRY, 'g'), '')],
  [52, 'at is in the future', edit(PAGES, / at="20/, ' at="21')],
  [52, 'a resource is missing that was created before at', edit(PAGES, ENTRY, '')],
  [52, 'a resource is listed as it was before', edit(PAGES, /sha-256:....../, 'sha-256:000000')],
  [54, 'a page cannot be read', gone(PAGES)],
  [54, 'the list lacks a resource', edit(PAGES, FIRST_ENTRY, '')],
  [
    70,
    'only the last change of a resource is listed',
    edit(WINDOWS, new RegExp(`${FIRST_ENTRY.source}(?=.*/first)`, 's'), ''),
  ],
  [74, 'a change is left out', edit(FIRST_WINDOW, ENTRY, '')],
  [75, 'a closed window is another one than before', edit(FIRST_WINDOW, 'length="', 'length="1')],
  [76, 'the last window is closed', edit(WINDOWS, OPEN, '$1 until="2999-01-01T00:00:00Z"/>')],
  [76, 'the open list has lost what it had', edit(NOTES, new RegExp(ENTRY, 'g'), '')],
  [78, 'a change has another length', edit(FIRST_WINDOW, /length="(\d)/, 'length="1$1')],
  [78, 'a change has another hash', edit(FIRST_WINDOW, /sha-256:....../, 'sha-256:000000')],
  [80, 'a closed window is missing', gone(FIRST_WINDOW)],
  [
    102,
    'a resource is described by what the set does not list',
    edit(/^\/sets\/papers\/resourcelist-.*\.xml$/, /(rel="describedby" href="[^"]*)first/, '$1second'),
  ],
  [120, 'a resource has no Last-Modified', without(FILES, 'last-modified')],
  [120, 'lastmod has a fraction of a second', edit(PAGES, 'Z</lastmod>', '.5Z</lastmod>')],
  [121, 'a change has no hash', edit(WINDOWS, / hash="[^"]*"/g, '')],
  [121, 'a resource has no hash', edit(PAGES, / hash="[^"]*"/, '')],
  [121, 'a resource has no length', edit(PAGES, / length="[^"]*"/, '')],
  [121, 'a resource has no lastmod', edit(RESOURCE_LISTS, /<lastmod>[^<]*<\/lastmod>/, '')],
  [
    124,
    'robots.txt names a list',
    on(/^\/robots\.txt$/, (_, baseUrl) => ({
      status: 200,
      body: Buffer.from(`User-agent: *\nSitemap: ${baseUrl}/sets/files/resourcelist.xml\n`),
    })),
  ],
];
