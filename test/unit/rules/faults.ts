import type { Sample } from '../../support/rules/sample.ts';

/** A rule's number, what is done wrong, and how to do it wrong in a source that is right. */
export type Fault = readonly [rule: number, title: string, plant: (sample: Sample) => void];

const DESCRIPTION = '/.well-known/resourcesync';
const MAPS = '/sets/maps/capabilitylist.xml';
const LIST = '/sets/maps/resourcelist.xml';
const CHANGES = '/sets/maps/changelist.xml';
const LIST_INDEX = '/sets/papers/resourcelist.xml';
const PAGE = '/sets/papers/resourcelist-1-00000001.xml';
const CHANGE_INDEX = '/sets/papers/changelist.xml';
const CLOSED = '/sets/papers/changelist-1-00000001.xml';
const OPEN = '/sets/papers/changelist-1-00000002.xml';
const ARCHIVE = '/sets/papers/changelist-archive.xml';
const RECENT = '/sets/papers/changelist-recent.xml';
const FILE = '/sets/maps/resources/charts/north%20sea.txt';

const ENTRY = /<url>.*<\/url>\n/;
const ENTRY_MD = /<rs:md (hash|change).*?\/>/;
const DOCUMENT_MD = /<rs:md capability="[a-z]*list".*\/>\n/;
/** An entry up to its link, with its loc. */
const DESCRIBED = /(<loc>([^<]*)<\/loc>.*?)<rs:ln rel="describedby".*?\/>/;
const ROOT_UP = /<rs:ln rel="up".*\/>\n/;
const NO_LINK = '';
const PATCH = 'http://www.openarchives.org/rs/terms/patch';

const many = (count: number, name: string) =>
  Array.from({ length: count }, (_, number) => `<${name}><loc>https://example.org/${number}</loc></${name}>`).join('');

export const FAULTS: readonly Fault[] = [
  [1, 'another root', (s) => s.edit(LIST, /urlset/g, 'list')],
  [1, 'another namespace', (s) => s.edit(LIST, 'sitemap/0.9', 'sitemap/0.8')],
  [1, 'extension elements of another namespace', (s) => s.edit(LIST, 'rs/terms/', 'rs/term/')],
  [2, 'no rs:md', (s) => s.edit(LIST, DOCUMENT_MD, '')],
  [2, 'two rs:md', (s) => s.edit(LIST, DOCUMENT_MD, '$&$&')],
  [2, 'no capability', (s) => s.edit(LIST, ' capability="resourcelist"', '')],
  [3, 'an unknown capability', (s) => s.edit(LIST, '"resourcelist"', '"list"')],
  [3, 'a part of another capability than its index', (s) => s.edit(PAGE, '"resourcelist"', '"resourcedump"')],
  [4, 'a prefixed attribute', (s) => s.edit(LIST, ' at=', ' rs:at=')],
  [4, 'a home-made attribute without prefix', (s) => s.edit(LIST, ' length=', ' size="1" length=')],
  [4, 'a home-made attribute of loc', (s) => s.edit(LIST, '<loc>', '<loc id="1">')],
  [4, 'a home-made attribute of urlset', (s) => s.edit(LIST, '<urlset', '<urlset version="1"')],
  [5, 'no loc', (s) => s.edit(LIST, /<loc>.*?<\/loc>/, '')],
  [5, 'two loc', (s) => s.edit(LIST, /<loc>.*?<\/loc>/, '$&$&')],
  [5, 'an attribute of url', (s) => s.edit(LIST, '<url>', '<url id="1">')],
  [6, 'two rs:md in an entry', (s) => s.edit(LIST, ENTRY_MD, '$&$&')],
  [7, 'a link without href', (s) => s.edit(LIST, / href="[^"]*"/, '')],
  [7, 'a link without rel', (s) => s.edit(LIST, ' rel="up"', '')],
  [8, 'a relation that is not registered', (s) => s.edit(LIST, 'rel="up"', 'rel="upward"')],
  [8, 'a relation of two words', (s) => s.edit(LIST, 'rel="up"', 'rel="described by"')],
  [9, 'a priority of 0', (s) => s.edit(LIST, 'rel="up"', 'rel="up" pri="0"')],
  [9, 'a priority of a million', (s) => s.edit(LIST, 'rel="up"', 'rel="up" pri="1000000"')],
  [10, 'a datetime without zone', (s) => s.edit(LIST, /(at="[^"]*)Z"/, '$1"')],
  [10, 'a day that never was', (s) => s.edit(LIST, / at="2026-..-../, ' at="2026-02-30')],
  [10, 'a datetime that is not in UTC', (s) => s.edit(CHANGES, /(datetime="[^"]*)Z"/, '$1+00:00"')],
  [10, 'a lastmod that is a day only', (s) => s.edit(LIST, /T[^<]*<\/lastmod>/, '</lastmod>')],
  [11, 'from in a Resource List', (s) => s.edit(LIST, ' at=', ' from=')],
  [11, 'at in a Change List', (s) => s.edit(CHANGES, ' from=', ' at=')],
  [11, 'until in a Resource List Index', (s) => s.edit(LIST_INDEX, '<rs:md at=', '<rs:md until=')],
  [12, 'a length that is not the resource’s', (s) => s.edit(LIST, 'length="21"', 'length="22"')],
  [12, 'a length that is not the resource’s, in a Change List', (s) => s.edit(CHANGES, 'length="21"', 'length="22"')],
  [13, 'an encoding that the answer has not', (s) => s.edit(LIST, ' length=', ' encoding="gzip" length=')],
  [13, 'such an encoding in a window', (s) => s.edit(CLOSED, / length=/g, ' encoding="gzip" length=')],
  [14, 'a hash without algorithm', (s) => s.edit(LIST, 'hash="sha-256:', 'hash="')],
  [14, 'a hash in base64', (s) => s.edit(LIST, /sha-256:[0-9a-f]+/, 'md5:1B2M2Y8AsgTpgAmY7PhCfg==')],
  [14, 'a hash of other bytes', (s) => s.answer(FILE, () => ({ body: Buffer.from('Soundings in METRES.\n') }))],
  [14, 'such a hash in the list of the last changes', (s) => s.edit(RECENT, /sha-256:..../g, 'sha-256:0000')],
  [15, 'a type that is not a media type', (s) => s.edit(CHANGES, 'text/plain', 'plain text')],
  [15, 'a type that the answer has not', (s) => s.edit(LIST, 'text/plain', 'text/html')],
  [15, 'a type that the answer has not, in a Change List', (s) => s.edit(CHANGES, /text\/plain/g, 'text/html')],
  [15, 'a type with a space', (s) => s.edit(CHANGES, 'text/plain', 'text/ plain')],
  [16, 'a resource that is not there', (s) => s.answer(FILE, () => ({ status: 404 }))],
  [16, 'a resource that is elsewhere', (s) => s.answer(FILE, () => ({ status: 302 }))],
  [16, 'a changed resource that is not there', (s) => s.drop(LIST).answer(FILE, () => ({ status: 404 }))],
  [17, 'such a lastmod in a Change List', (s) => s.edit(CHANGES, /:30:12Z/g, ':30:13Z')],
  [17, 'a lastmod that is the time of the change', (s) => s.edit(LIST, '16:30:12Z', '16:30:13Z')],
  [18, 'an unknown changefreq', (s) => s.edit(LIST, '</lastmod>', '</lastmod><changefreq>often</changefreq>')],
  [19, 'rs:md of the document after an entry', (s) => s.edit(LIST, /(<rs:md cap.*\n)(<url>.*\n)/, '$2$1')],
  [19, 'rs:md before loc', (s) => s.edit(LIST, /(<loc>.*?)(<rs:md.*?\/>)/, '$2$1')],
  [19, 'a link before rs:md', (s) => s.edit(CLOSED, /(<rs:md change.*?\/>)(<rs:ln.*?\/>)/, '$2$1')],
  [20, 'a loc of more than 2,048 characters', (s) => s.edit(LIST, 'north%20sea', 'a'.repeat(2048))],
  [20, 'an empty loc', (s) => s.edit(LIST, /<loc>.*?</, '<loc><')],
  [20, 'a loc that is too short', (s) => s.edit(LIST, /<loc>.*?</, '<loc>http://a.b<')],
  [20, 'a relative loc', (s) => s.edit(LIST, '<loc>https://example.org', '<loc>')],
  [20, 'a loc with a space', (s) => s.edit(LIST, 'north%20sea', 'north sea')],
  [24, '50,001 entries', (s) => s.edit(LIST, '</urlset>', `${many(50_001, 'url')}</urlset>`)],
  [24, 'more than 50 MB', (s) => s.edit(LIST, '</urlset>', `${`<!--${' '.repeat(9_993)}-->`.repeat(5_300)}</urlset>`)],
  [25, '50,001 parts', (s) => s.edit(LIST_INDEX, '</sitemapindex>', `${many(50_001, 'sitemap')}</sitemapindex>`)],
  [25, 'an index in an index', (s) => s.edit(PAGE, /urlset/g, 'sitemapindex')],
  [26, 'other bytes with gzip', (s) => s.answer(LIST, () => ({ unpacked: Buffer.from('<urlset/>') }))],
  [27, 'a page without index', (s) => s.edit(PAGE, /<rs:ln rel="index".*\/>\n/, NO_LINK)],
  [27, 'a window that leads to another index', (s) => s.edit(OPEN, 'changelist.xml', 'resourcelist.xml')],
  [28, 'a capability that leads to another list', (s) => s.edit(MAPS, 'resourcelist.xml', 'changelist.xml')],
  [29, 'a Capability List without up', (s) => s.edit(MAPS, ROOT_UP, NO_LINK)],
  [29, 'a Capability List whose up is the set’s page', (s) => s.edit(MAPS, '.well-known/resourcesync', 'sets/maps/')],
  [30, 'a page whose up is its index', (s) => s.edit(PAGE, 'capabilitylist.xml', 'resourcelist.xml')],
  [30, 'a Change List without up', (s) => s.edit(CHANGES, ROOT_UP, NO_LINK)],
  [31, 'no Source Description', (s) => s.drop(DESCRIPTION)],
  [
    32,
    'a page that no set covers, with a link',
    (s) =>
      s.answer('/', () => ({
        body: Buffer.from('<link rel="resourcesync" href="https://example.org/sets/maps/capabilitylist.xml">'),
      })),
  ],
  ...[
    '<link href="https://example.org/sets/maps/capabilitylist.xml" rel="resourcesync">',
    '<link rel="alternate resourcesync" href="https://example.org/sets/maps/capabilitylist.xml">',
    "<LINK type='application/xml' REL='resourcesync' href='/sets/maps/capabilitylist.xml'>",
  ].map((link): Fault => [32, `such a page with ${link}`, (s) => s.answer('/', () => ({ body: Buffer.from(link) }))]),
  ...[
    '<https://example.org/sets/papers/capabilitylist.xml>; rel="resourcesync"',
    '<https://example.org/sets/papers/capabilitylist.xml>; type="application/xml"; rel=resourcesync',
    '<https://example.org/a>; rel="up", </sets/papers/capabilitylist.xml>; rel="describedby resourcesync"',
  ].map(
    (link): Fault => [
      33,
      `a header that names another set: ${link}`,
      (s) => s.answer(FILE, () => ({ headers: { link } })),
    ],
  ),
  [
    34,
    'robots.txt that names a sitemap that is not there',
    (s) =>
      s.answer('/robots.txt', () => ({
        status: 200,
        body: Buffer.from('Sitemap: https://example.org/sets/maps/sitemap.xml\n'),
      })),
  ],
  [35, 'an up that ends half-way', (s) => s.edit(MAPS, '.well-known/resourcesync', 'sets/maps/capabilitylist.xml')],
  [36, 'a Source Description of another capability', (s) => s.edit(DESCRIPTION, '"description"', '"capabilitylist"')],
  [37, 'a Source Description without describedby', (s) => s.edit(DESCRIPTION, /<rs:ln rel="describedby".*\n/, NO_LINK)],
  [38, 'an entry that is not a Capability List', (s) => s.edit(DESCRIPTION, '"capabilitylist"', '"capability"')],
  [38, 'a set that is left out', (s) => s.edit(DESCRIPTION, ENTRY, '')],
  [39, 'a set without describedby', (s) => s.edit(DESCRIPTION, /<rs:ln rel="describedby"[^>]*\/><\/url>/, '</url>')],
  [
    40,
    'lastmod in a Source Description',
    (s) => s.edit(DESCRIPTION, '</loc>', '</loc><lastmod>2026-03-01T09:00:00Z</lastmod>'),
  ],
  [
    41,
    'two Source Descriptions',
    (s) => {
      s.copy(DESCRIPTION, '/description-2.xml');
      s.edit('/description-2.xml', ENTRY, '');
      s.edit(MAPS, '.well-known/resourcesync', 'description-2.xml');
    },
  ],
  [42, 'an up in the Source Description', (s) => s.edit(DESCRIPTION, 'rel="describedby"', 'rel="up"')],
  [43, 'a Capability List of another capability', (s) => s.edit(MAPS, '"capabilitylist"', '"description"')],
  [44, 'a Capability List without describedby', (s) => s.edit(MAPS, /<rs:ln rel="describedby".*\n/, NO_LINK)],
  [45, 'an entry without capability', (s) => s.edit(MAPS, '<rs:md capability="resourcelist"/>', '')],
  [46, 'two entries of one capability', (s) => s.edit(MAPS, '"changelist"', '"resourcelist"')],
  [47, 'one Capability List for two sets', (s) => s.edit(DESCRIPTION, 'papers/capabilitylist', 'maps/capabilitylist')],
  [47, 'one Resource List for two sets', (s) => s.edit(MAPS, 'maps/resourcelist', 'papers/resourcelist')],
  [48, 'a listed resource that never changed', (s) => s.edit(LIST, 'north%20sea', 'south%20sea')],
  [
    49,
    'lastmod in a Capability List',
    (s) => s.edit(MAPS, '</loc>', '</loc>\n<lastmod>2026-03-01T09:00:00Z</lastmod>'),
  ],
  [50, 'an index of Capability Lists', (s) => s.edit(MAPS, /urlset/g, 'sitemapindex')],
  [51, 'a page without at', (s) => s.edit(PAGE, / at="[^"]*"/, '')],
  [52, 'an at of the future', (s) => s.edit(LIST, ' at="2026', ' at="2126')],
  [
    52,
    'a list that was completed before its at',
    (s) => s.edit(LIST, ' at="', ' completed="2020-01-01T00:00:00Z" at="'),
  ],
  [52, 'a page of a later time than its index', (s) => s.edit(PAGE, ' at="2026', ' at="2027')],
  [52, 'a change before at that is not in the list', (s) => s.edit(LIST, ENTRY, '')],
  [52, 'a resource as it was before its last change', (s) => s.edit(LIST, /sha-256:...../, 'sha-256:00000')],
  [53, 'a change in a Resource List', (s) => s.edit(LIST, '<rs:md hash', '<rs:md change="created" hash')],
  [53, 'an unknown element', (s) => s.edit(LIST, '</lastmod>', '</lastmod><title>Chart</title>')],
  [54, 'a page that cannot be read', (s) => s.drop(PAGE)],
  [54, 'a list without one resource', (s) => s.edit(PAGE, ENTRY, '')],
  [55, 'an index without at', (s) => s.edit(LIST_INDEX, / at="[^"]*"/, '')],
  [55, 'another at than the page has', (s) => s.edit(LIST_INDEX, '<rs:md at="2026-03-01', '<rs:md at="2026-03-02')],
  [55, 'from of a page', (s) => s.edit(LIST_INDEX, '<rs:md at=', '<rs:md from=')],
  [56, 'a resource twice', (s) => s.edit(LIST, ENTRY, '$&$&')],
  [56, 'a resource in two pages', (s) => s.edit(PAGE, '2025/dunes.json', '2026/tides.txt')],
  [68, 'a Change List without from', (s) => s.edit(CHANGES, / from="[^"]*"/, '')],
  [69, 'the newest change first', (s) => s.edit(CHANGES, /(<url>.*\n)(<url>.*\n)/, '$2$1')],
  [
    69,
    'a window that begins before the last one ends',
    (s) => s.edit(OPEN, 'datetime="2026-03-06', 'datetime="2026-03-04'),
  ],
  [70, 'only the last change of each resource', (s) => s.edit(CHANGES, ENTRY, '')],
  [71, 'an unknown change', (s) => s.edit(CHANGES, '"updated"', '"moved"')],
  [71, 'an entry without change', (s) => s.edit(CHANGES, ' change="updated"', '')],
  [72, 'a change without datetime', (s) => s.edit(CHANGES, / datetime="[^"]*"/, '')],
  [73, 'a change before from', (s) => s.edit(CHANGES, 'from="2026-02', 'from="2026-05')],
  [
    73,
    'an until before from, in a list without changes',
    (s) => {
      s.edit(CLOSED, /<url>.*<\/url>\n/s, '');
      s.edit(CLOSED, / until="[^"]*"/, ' until="2020-01-01T00:00:00Z"');
    },
  ],
  [73, 'a change of the future in an open list', (s) => s.edit(CHANGES, / datetime="2026/g, ' datetime="2126')],
  [73, 'a change after until', (s) => s.edit(CLOSED, 'until="2026-03-06', 'until="2026-03-02')],
  [74, 'a change that is left out', (s) => s.edit(OPEN, ENTRY, '')],
  [75, 'a closed list that changes', (s) => s.edit(CLOSED, 'length="28"', 'length="29"')],
  [76, 'a last list that is closed', (s) => s.edit(OPEN, /(from="[^"]*")/, '$1 until="2026-03-09T00:00:00Z"')],
  [76, 'an open list that loses changes', (s) => s.edit(OPEN, ENTRY, '')],
  [77, 'two changes of a resource at one time', (s) => s.edit(CHANGES, ENTRY, '$&$&')],
  [78, 'a hash of what was deleted', (s) => s.edit(CHANGES, /(change="deleted")/, `$1 hash="md5:${'0'.repeat(32)}"`)],
  [
    78,
    'a lastmod of what was deleted',
    (s) => s.edit(CHANGES, /(<\/loc>)(<rs:md change="deleted")/, '$1<lastmod>2026-03-01T09:00:00Z</lastmod>$2'),
  ],
  [78, 'another length than it had', (s) => s.edit(CHANGES, 'length="22"', 'length="23"')],
  [78, 'another type than it had', (s) => s.edit(CHANGES, 'text/plain', 'text/html')],
  [78, 'another lastmod than it had', (s) => s.edit(CHANGES, '09:00:00Z</lastmod>', '09:00:01Z</lastmod>')],
  [78, 'another hash than it had', (s) => s.edit(CHANGES, /sha-256:..../, 'sha-256:0000')],
  [78, 'another state in the list of the last changes', (s) => s.edit(RECENT, / length="\d+"/, ' length="1"')],
  [79, 'a gap between two windows', (s) => s.edit(OPEN, 'from="2026-03-06T07', 'from="2026-03-06T08')],
  [80, 'a closed list that is missing', (s) => s.drop(CLOSED)],
  [80, 'a closed list that leads nowhere', (s) => s.edit(CLOSED, /<rs:ln rel="index".*\/>\n/, NO_LINK)],
  [81, 'an index with the newest window first', (s) => s.edit(CHANGE_INDEX, /(<sitemap>.*\n)(<sitemap>.*\n)/, '$2$1')],
  [82, 'an index without from', (s) => s.edit(CHANGE_INDEX, / from="[^"]*"/, '')],
  [83, 'a closed window without until in the index', (s) => s.edit(CHANGE_INDEX, / until="[^"]*"/, '')],
  [
    83,
    'an open window with until in the index',
    (s) => s.edit(CHANGE_INDEX, /(2\.xml<\/loc><rs:md from="[^"]*")/, '$1 until="2026-03-09T00:00:00Z"'),
  ],
  [84, 'an open window before the last', (s) => s.edit(CLOSED, / until="[^"]*"/, '')],
  [
    85,
    'windows whose names sort otherwise than their times',
    (s) => {
      s.copy(OPEN, '/sets/papers/changelist-1-00000000.xml');
      s.edit(CHANGE_INDEX, '00000002', '00000000');
    },
  ],
  [85, 'no flat list of the last changes', (s) => s.drop(RECENT)],
  [
    85,
    'a list of the last changes that is closed',
    (s) => s.edit(RECENT, /( from=)/, ' until="2026-03-09T00:00:00Z"$1'),
  ],
  [98, 'a mirror that is the resource', (s) => s.edit(PAGE, DESCRIBED, '$1<rs:ln rel="duplicate" href="$2"/>')],
  [
    98,
    'a mirror of another length',
    (s) => s.edit(PAGE, DESCRIBED, '$1<rs:ln rel="duplicate" href="https://example.com/" length="1"/>'),
  ],
  [
    99,
    'an alternate without type',
    (s) => s.edit(PAGE, DESCRIBED, '$1<rs:ln rel="alternate" href="https://example.com/"/>'),
  ],
  [100, 'a canonical that is the resource', (s) => s.edit(PAGE, DESCRIBED, '$1<rs:ln rel="canonical" href="$2"/>')],
  [
    101,
    'a patch without type',
    (s) => s.edit(CLOSED, 'rel="describedby"', `rel="${PATCH}"`).edit(CLOSED, / type="[^"]*"\/><\/url>/, '/></url>'),
  ],
  [101, 'a patch in a Resource List', (s) => s.edit(PAGE, 'rel="describedby"', `rel="${PATCH}"`)],
  [102, 'metadata that the set does not list', (s) => s.edit(PAGE, 'dunes.xml" type', 'other.xml" type')],
  [103, 'a timegate with a type', (s) => s.edit(PAGE, 'rel="describedby"', 'rel="timegate"')],
  [104, 'a collection that is the resource', (s) => s.edit(PAGE, DESCRIBED, '$1<rs:ln rel="collection" href="$2"/>')],
  [105, 'an origin that is the resource', (s) => s.edit(PAGE, DESCRIBED, '$1<rs:ln rel="via" href="$2"/>')],
  [106, 'a mirror of a Capability List', (s) => s.edit(MAPS, 'rel="describedby"', 'rel="duplicate"')],
  [107, 'an archive of what there is not', (s) => s.edit(MAPS, 'changelist-archive"', 'list-archive"')],
  [108, 'a Change List that does not lead to its archive', (s) => s.edit(CHANGES, /<rs:ln rel="archives".*\n/, '')],
  [108, 'an index that does not lead to its archive', (s) => s.edit(CHANGE_INDEX, /<rs:ln rel="archives".*\n/, '')],
  [30, 'an archive without up', (s) => s.edit(ARCHIVE, ROOT_UP, '')],
  [109, 'an archive with a time', (s) => s.edit(ARCHIVE, '-archive"', '-archive" from="2026-03-01T00:00:00Z"')],
  [110, 'an archived Change List without until', (s) => s.edit(ARCHIVE, / until="[^"]*"/, '')],
  [111, 'a Change List that is not finished in its archive', (s) => s.edit(ARCHIVE, /until="..../, 'until="2036')],
  [119, 'several hashes by default', (s) => s.edit(LIST, 'hash="', `hash="md5:${'0'.repeat(32)} `)],
  [120, 'a fraction of a second in lastmod', (s) => s.edit(CHANGES, 'Z</lastmod>', '.5Z</lastmod>')],
  [
    120,
    'a lastmod that is not Last-Modified',
    (s) =>
      s.answer(FILE, ({ headers }) => ({ headers: { ...headers, 'last-modified': 'Sun, 01 Mar 2026 09:00:00 GMT' } })),
  ],
  [120, 'no Last-Modified', (s) => s.answer(FILE, () => ({ headers: {} }))],
  [120, 'such a lastmod in a Change List', (s) => s.edit(CHANGES, /:30:12Z/g, ':30:13Z')],
  [121, 'a change without length', (s) => s.edit(CHANGES, / length="[^"]*"/g, '')],
  [121, 'a resource without hash', (s) => s.edit(LIST, / hash="[^"]*"/, '')],
  [121, 'a resource without lastmod', (s) => s.edit(LIST, /<lastmod>.*?<\/lastmod>/, '')],
  [
    122,
    'a resource on another host',
    (s) => s.edit(LIST, '<loc>https://example.org', '<loc>https://bucket.example.net'),
  ],
  [122, 'a resource with another scheme', (s) => s.edit(LIST, '<loc>https:', '<loc>http:')],
  [123, 'a Resource List with another name', (s) => s.edit(MAPS, '/resourcelist.xml', '/resources.xml')],
  [
    124,
    'a Resource List in robots.txt',
    (s) => s.answer('/robots.txt', () => ({ body: Buffer.from(`Sitemap: https://example.org${LIST}\n`) })),
  ],
];
