import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { documentOf } from '../served-source.ts';
import type { Answer } from './source.ts';
import { zipOf } from './zip-of.ts';

const BASE = 'https://example.org';
const MANIFEST = 'manifest.xml';
export const DUMP = '/dump.xml';
export const CHANGE_DUMP = '/changedump.xml';
export const PACKAGE = '/dump/1.zip';
export const CHANGE_PACKAGE = '/changedump/1.zip';

const link = (rel: string, path: string, more = '') => `<rs:ln rel="${rel}" href="${BASE}${path}"${more}/>`;
const up = link('up', '/set.xml');
const entry = (path: string, md: string, links = '') => `<url><loc>${BASE}${path}</loc><rs:md ${md}/>${links}</url>`;
const hashOf = (bytes: Buffer) => `sha-256:${createHash('sha256').update(bytes).digest('hex')}`;
const described = (text: string, type: string) =>
  `hash="${hashOf(Buffer.from(text))}" length="${Buffer.byteLength(text)}" type="${type}"`;

const FILES = [
  ['/a.txt', 'the first', 'text/plain'],
  ['/b.txt', 'the second', 'text/plain'],
  ['/b.xml', '<b/>', 'application/xml'],
] as const;

const RELATED = [
  link('duplicate', '/mirror/b.txt', ' pri="1"'),
  link('alternate', '/b.html', ' type="text/html"'),
  link('canonical', '/b'),
  link('describedby', '/b.xml'),
  link('memento', '/2026/b.txt', ' modified="2026-01-02T00:00:00Z"'),
  link('timegate', '/timegate/b.txt'),
  link('collection', '/all'),
  link('via', '/origin/b.txt'),
].join('');

const T = (day: number) => `2026-01-0${day}T00:00:00Z`;

/** A source with what Tidemark does not publish: dumps, archives, related resources and channels, written by hand. */
export class HandmadeSample {
  readonly texts = new Map<string, string>();
  readonly answers = new Map<string, Answer>();
  readonly documents = new Set<string>();
  /** What is in each package. */
  readonly packages = new Map([
    [PACKAGE, new Map(FILES.map(([path, text]) => [`files${path}`, Buffer.from(text)]))],
    [
      CHANGE_PACKAGE,
      new Map([
        ['changes/1.txt', Buffer.from('the first')],
        ['changes/2.txt', Buffer.from('the second')],
      ]),
    ],
  ]);
  readonly readAt = Date.parse(T(9));

  constructor() {
    const listed = FILES.map(([path, text, type]) => {
      this.answers.set(BASE + path, {
        ...{ status: 200, body: Buffer.from(text), headers: { 'content-type': type } },
      });
      const of = path === '/b.txt' ? RELATED : path === '/b.xml' ? link('describes', '/b.txt') : '';
      return entry(path, described(text, type), of);
    });
    this.#add('/.well-known/resourcesync', [
      ...[link('describedby', '/about'), '<rs:md capability="description"/>'],
      entry('/set.xml', 'capability="capabilitylist"', link('describedby', '/about')),
    ]);
    this.#add('/set.xml', [
      ...[
        link('up', '/.well-known/resourcesync'),
        link('describedby', '/about'),
        '<rs:md capability="capabilitylist"/>',
      ],
      ...[
        ['/resourcelist.xml', 'resourcelist'],
        ['/changelist.xml', 'changelist'],
        [DUMP, 'resourcedump'],
      ].map(named),
      ...[
        [CHANGE_DUMP, 'changedump'],
        ['/archive.xml', 'resourcelist-archive'],
      ].map(named),
      ...[['/changes.xml', 'changelist-archive']].map(named),
      entry('/changed', 'capability="change-notification"', link('hub', '/hub')),
      entry('/framework', 'capability="framework-notification"', link('hub', '/hub')),
    ]);
    const archive = link('archives', '/archive.xml');
    this.#add('/resourcelist.xml', [up, archive, `<rs:md capability="resourcelist" at="${T(4)}"/>`, ...listed]);
    this.#add('/changelist.xml', [
      ...[up, link('archives', '/changes.xml'), `<rs:md capability="changelist" from="${T(1)}"/>`],
      entry('/a.txt', `change="created" datetime="${T(2)}" ${described('the first', 'text/plain')}`),
      entry('/b.txt', `change="updated" datetime="${T(3)}" ${described('the second', 'text/plain')}`),
    ]);
    this.#add(DUMP, [
      ...[up, `<rs:md capability="resourcedump" at="${T(4)}"/>`],
      entry(PACKAGE, 'type="application/zip" length="LENGTH" hash="HASH"', link('contents', '/dump/1.xml')),
    ]);
    const dumped = FILES.map(([path, text, type]) => entry(path, `${described(text, type)} path="/files${path}"`));
    this.#add('/dump/1.xml', [up, `<rs:md capability="resourcedump-manifest" at="${T(4)}"/>`, ...dumped]);
    this.#add(CHANGE_DUMP, [
      ...[up, `<rs:md capability="changedump" from="${T(1)}" until="${T(4)}"/>`],
      entry(
        CHANGE_PACKAGE,
        `from="${T(1)}" until="${T(4)}" type="application/zip" length="LENGTH" hash="HASH"`,
        link('contents', '/changedump/1.xml'),
      ),
    ]);
    const change = (path: string, day: number, md: string) => entry(path, `datetime="${T(day)}" ${md}`);
    this.#add('/changedump/1.xml', [
      ...[up, `<rs:md capability="changedump-manifest" from="${T(1)}" until="${T(4)}"/>`],
      change('/a.txt', 2, `change="created" ${described('the first', 'text/plain')} path="/changes/1.txt"`),
      change('/b.txt', 3, `change="updated" ${described('the second', 'text/plain')} path="/changes/2.txt"`),
      change('/c.txt', 3, 'change="deleted"'),
    ]);
    this.#add('/archive.xml', [
      ...[up, '<rs:md capability="resourcelist-archive"/>'],
      ...[1, 2].map((day) => entry(`/2026/list-${day}.xml`, `at="${T(day)}" completed="${T(day)}"`)),
    ]);
    this.#add('/changes.xml', [
      ...[up, '<rs:md capability="changelist-archive"/>'],
      ...[1, 2].map((day) => entry(`/2026/changes-${day}.xml`, `from="${T(day)}" until="${T(day + 1)}"`)),
    ]);
    for (const topic of ['/framework', '/changed']) {
      const headers = { link: `<${BASE}/hub>; rel="hub", <${BASE}${topic}>; rel="self"` };
      this.answers.set(BASE + topic, { status: 200, headers, body: Buffer.alloc(0) });
    }
    this.answers.set(`${BASE}/`, { status: 200, headers: { 'content-type': 'text/html' }, body: Buffer.alloc(0) });
  }

  edit(path: string, from: string | RegExp, to: string): this {
    const before = this.texts.get(BASE + path)!;
    const after = before.replace(from, to);
    assert.notEqual(after, before, `${path} was not changed`);
    this.texts.set(BASE + path, after);
    return this;
  }

  drop(path: string): void {
    this.texts.delete(BASE + path);
  }

  answer(path: string, change: Partial<Answer>): void {
    this.answers.set(BASE + path, { ...this.answers.get(BASE + path)!, ...change });
  }

  /** Packs the packages; each has the manifest that its dump links to, unless it was given another one. */
  pack(): this {
    for (const [path, dump] of [
      [PACKAGE, DUMP],
      [CHANGE_PACKAGE, CHANGE_DUMP],
    ] as const) {
      const files = this.packages.get(path)!;
      const copy = this.texts.get(BASE + path.replace('.zip', '.xml'));
      const isGiven = [...files.keys()].some((name) => name.endsWith(MANIFEST));
      const all = isGiven || copy === undefined ? files : new Map([[MANIFEST, Buffer.from(copy)], ...files]);
      const body = zipOf(all);
      this.answers.set(BASE + path, { status: 200, headers: { 'content-type': 'application/zip' }, body });
      const text = this.texts.get(BASE + dump);
      if (text !== undefined)
        this.texts.set(BASE + dump, text.replace('LENGTH', String(body.length)).replace('HASH', hashOf(body)));
    }
    for (const [uri, text] of this.texts) {
      this.answers.set(uri, { status: 200, headers: { 'content-type': 'application/xml' }, body: Buffer.from(text) });
    }
    return this;
  }

  #add(path: string, lines: readonly string[]): void {
    this.texts.set(BASE + path, documentOf(lines.join('\n')));
    this.documents.add(BASE + path);
  }
}

const named = ([path, capability]: readonly string[]) => entry(path!, `capability="${capability}"`);
