import {
  CHANGE_DUMP,
  CHANGE_PACKAGE,
  DUMP,
  type HandmadeSample,
  PACKAGE,
} from '../../support/rules/handmade-sample.ts';

export type HandmadeFault = readonly [rule: number, title: string, plant: (sample: HandmadeSample) => void];

const LIST = '/resourcelist.xml';
const CHANGES = '/changelist.xml';
const MANIFEST = '/dump/1.xml';
const CHANGE_MANIFEST = '/changedump/1.xml';
const UP = /<rs:ln rel="up"[^>]*\/>/;
const UP_TO_DESCRIPTION = '<rs:ln rel="up" href="https://example.org/.well-known/resourcesync"/>';
const SELF = 'href="https://example.org/b.txt"';

/** Faults of what Tidemark does not publish. */
export const HANDMADE_FAULTS: readonly HandmadeFault[] = [
  [34, 'a list in robots.txt that is not there', (s) => robots(s, '/other.xml')],
  [48, 'a dump with a resource that no list has', (s) => s.edit(MANIFEST, '/a.txt<', '/z.txt<')],
  [57, 'a Resource Dump without at', (s) => s.edit(DUMP, / at="[^"]*"/, '')],
  [
    57,
    'a Resource Dump that was completed before its at',
    (s) => s.edit(DUMP, ' at="', ' completed="2020-01-01T00:00:00Z" at="'),
  ],
  [30, 'a Resource Dump without up', (s) => s.edit(DUMP, UP, '')],
  [58, 'a package without length', (s) => s.edit(DUMP, ' length="LENGTH"', '')],
  [58, 'a package of another length', (s) => s.edit(DUMP, 'LENGTH', '17')],
  [58, 'a package with another hash', (s) => s.edit(DUMP, 'HASH', `md5:${'0'.repeat(32)}`)],
  [58, 'a package that is not there', (s) => s.edit(DUMP, '/dump/1.zip', '/dump/2.zip')],
  [
    59,
    'another manifest than in the package',
    (s) => given(s, PACKAGE, (text) => text.replace('text/plain', 'text/html')),
  ],
  [59, 'a linked manifest that is not there', (s) => s.edit(DUMP, '/dump/1.xml', '/dump/2.xml')],
  [60, 'packages of another format', (s) => s.edit(DUMP, 'application/zip', 'application/x-tar')],
  [
    60,
    'packages of several formats',
    (s) =>
      s.edit(
        DUMP,
        '</urlset>',
        '<url><loc>https://example.org/dump/1.tar</loc><rs:md type="application/x-tar"/></url></urlset>',
      ),
  ],
  [61, 'an index of dumps with a part that is not there', (s) => asIndex(s, DUMP)],
  [
    62,
    'a package without a manifest',
    (s) => s.packages.get(PACKAGE)!.set('files/manifest.xml', Buffer.from('<urlset/>')),
  ],
  [63, 'a manifest without at', (s) => s.edit(MANIFEST, / at="[^"]*"/, '')],
  [63, 'a manifest of another capability', (s) => s.edit(MANIFEST, 'resourcedump-manifest', 'resourcelist')],
  [64, 'an entry of a manifest without path', (s) => s.edit(MANIFEST, / path="[^"]*"/, '')],
  [65, 'a path without a slash at its beginning', (s) => s.edit(MANIFEST, 'path="/', 'path="')],
  [66, 'a bitstream without type', (s) => s.edit(MANIFEST, / type="[^"]*"/, '')],
  [67, 'a path that the package does not have', (s) => s.edit(MANIFEST, 'path="/files/a.txt', 'path="/files/z.txt')],
  [
    67,
    'other bytes than the manifest says',
    (s) => s.packages.get(PACKAGE)!.set('files/a.txt', Buffer.from('THE FIRST')),
  ],
  [
    86,
    'a Change Dump with an until before from',
    (s) => s.edit(CHANGE_DUMP, / until="[^"]*"/, ' until="2020-01-01T00:00:00Z"'),
  ],
  [86, 'a Change Dump without from', (s) => s.edit(CHANGE_DUMP, / from="[^"]*"/, '')],
  [
    87,
    'the newest package first',
    (s) =>
      s.edit(
        CHANGE_DUMP,
        '</urlset>',
        `<url><loc>https://example.org/changedump/0.zip</loc><rs:md from="2025-01-01T00:00:00Z" type="application/zip" length="1"/></url></urlset>`,
      ),
  ],
  [88, 'a package of changes without type', (s) => s.edit(CHANGE_DUMP, ' type="application/zip"', '')],
  [89, 'packages of changes of another format', (s) => s.edit(CHANGE_DUMP, 'application/zip', 'application/x-tar')],
  [
    90,
    'another manifest than in the package of changes',
    (s) => given(s, CHANGE_PACKAGE, (text) => text.replace('text/plain', 'text/html')),
  ],
  [91, 'two changes with one bitstream', (s) => s.edit(CHANGE_MANIFEST, '/changes/2.txt', '/changes/1.txt')],
  [92, 'an index of Change Dumps with a part that is not there', (s) => asIndex(s, CHANGE_DUMP)],
  [
    93,
    'a Resource Dump Manifest in a package of changes',
    (s) => s.edit(CHANGE_MANIFEST, 'changedump-manifest', 'resourcedump-manifest'),
  ],
  [
    94,
    'the newest change first in a manifest',
    (s) => s.edit(CHANGE_MANIFEST, '2026-01-02T00:00:00Z" change', '2026-01-04T00:00:00Z" change'),
  ],
  [95, 'a created bitstream without path', (s) => s.edit(CHANGE_MANIFEST, / path="[^"]*"/, '')],
  [95, 'a change of a manifest without change', (s) => s.edit(CHANGE_MANIFEST, ' change="deleted"', '')],
  [96, 'a change whose bytes are not in the package', (s) => s.packages.get(CHANGE_PACKAGE)!.delete('changes/2.txt')],
  [97, 'a changed bitstream without type', (s) => s.edit(CHANGE_MANIFEST, / type="[^"]*"/, '')],
  [98, 'a mirror that is the resource', (s) => s.edit(LIST, 'href="https://example.org/mirror/b.txt"', SELF)],
  [99, 'an alternate without type', (s) => s.edit(LIST, ' type="text/html"', '')],
  [100, 'a generic URI that is the specific one', (s) => s.edit(LIST, 'href="https://example.org/b"', SELF)],
  [
    101,
    'a patch without path in a manifest',
    (s) =>
      s.edit(
        CHANGE_MANIFEST,
        '</url>',
        '<rs:ln rel="http://www.openarchives.org/rs/terms/patch" href="https://example.org/a.patch" type="text/x-patch"/></url>',
      ),
  ],
  [
    102,
    'metadata that the set does not list',
    (s) =>
      s.edit(
        LIST,
        'rel="describedby" href="https://example.org/b.xml"',
        'rel="describedby" href="https://example.org/z.xml"',
      ),
  ],
  [103, 'a memento without its time', (s) => s.edit(LIST, / modified="[^"]*"/, '')],
  [105, 'an origin that is the resource', (s) => s.edit(LIST, 'href="https://example.org/origin/b.txt"', SELF)],
  [106, 'a duplicate of a Capability List', (s) => s.edit('/set.xml', 'rel="describedby"', 'rel="duplicate"')],
  [107, 'an archive of what there is not', (s) => s.edit('/set.xml', 'changelist-archive', 'list-archive')],
  [108, 'a list that does not lead to its archive', (s) => s.edit(LIST, /<rs:ln rel="archives"[^>]*\/>/, '')],
  [30, 'an archive without up', (s) => s.edit('/archive.xml', UP, '')],
  [109, 'an archive with a time', (s) => s.edit('/archive.xml', '-archive"', '-archive" at="2026-01-02T00:00:00Z"')],
  [110, 'an archived list without at', (s) => s.edit('/archive.xml', / at="[^"]*"/, '')],
  [110, 'an archived Change List without until', (s) => s.edit('/changes.xml', / until="[^"]*"/, '')],
  [110, 'the newest list of an archive first', (s) => s.edit('/archive.xml', 'at="2026-01-01', 'at="2026-01-03')],
  [
    111,
    'a list of the future in an archive',
    (s) => s.edit('/archive.xml', 'completed="2026-01-02', 'completed="2027-01-02'),
  ],
  [
    113,
    'a channel of changes in a Source Description',
    (s) => s.edit('/.well-known/resourcesync', 'capability="capabilitylist"', 'capability="change-notification"'),
  ],
  [
    114,
    'a channel of the framework in a Source Description',
    (s) => s.edit('/.well-known/resourcesync', 'capability="capabilitylist"', 'capability="framework-notification"'),
  ],
  [115, 'a channel without hub', (s) => s.edit('/set.xml', /<rs:ln rel="hub"[^>]*\/>/, '')],
  [116, 'a topic that does not name its hub', (s) => s.answer('/changed', { headers: {} })],
  [116, 'a topic that is not there', (s) => s.answer('/changed', { status: 404 })],
  [30, 'a dump whose up is the Source Description', (s) => s.edit(DUMP, UP, UP_TO_DESCRIPTION)],
  [69, 'changes in no order', (s) => s.edit(CHANGES, 'datetime="2026-01-02', 'datetime="2026-01-04')],
];

function robots(sample: HandmadeSample, path: string): void {
  const body = Buffer.from(`Sitemap: https://example.org${path}\n`);
  sample.answers.set('https://example.org/robots.txt', { status: 200, headers: {}, body });
}

/** Gives a package another manifest than its copy. */
function given(sample: HandmadeSample, path: string, change: (text: string) => string): void {
  const copy = sample.texts.get(`https://example.org${path.replace('.zip', '.xml')}`)!;
  sample.packages.get(path)!.set('manifest.xml', Buffer.from(change(copy)));
}

function asIndex(sample: HandmadeSample, path: string): void {
  sample.edit(path, /urlset/g, 'sitemapindex');
  sample.edit(path, '<url>', '<sitemap><loc>https://example.org/no-dump.xml</loc></sitemap><url>');
}
