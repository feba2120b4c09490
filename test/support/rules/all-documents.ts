import { createHash } from 'node:crypto';
import type { XmlElement } from '../parse-document.ts';
import {
  capabilityOf,
  each,
  eachAnswered,
  eachEntry,
  eachExtension,
  entriesOf,
  everyElement,
  isIndex,
  locOf,
  md,
  named,
  partsOf,
  type Rule,
  textOf,
  wrong,
} from './source.ts';

const RS = '{http://www.openarchives.org/rs/terms/}';
const CAPABILITIES =
  'description capabilitylist resourcelist resourcedump resourcedump-manifest changelist changedump changedump-manifest'.split(
    ' ',
  );
const FREQUENCIES = 'always hourly daily weekly monthly yearly never'.split(' ');
const TIMES = ['at', 'completed', 'from', 'until', 'datetime', 'modified'];
const ATTRIBUTES: Readonly<Record<string, readonly string[]>> = {
  'rs:md': [...TIMES, 'capability', 'change', 'encoding', 'hash', 'length', 'path', 'type'],
  'rs:ln': ['rel', 'href', 'pri', 'modified', 'encoding', 'hash', 'length', 'path', 'type'],
};
const ORDER = ['loc', 'lastmod', 'changefreq', 'priority', 'rs:md', 'rs:ln'];
const DIGEST_LENGTHS: Readonly<Record<string, number>> = { md5: 32, 'sha-1': 40, 'sha-256': 64 };
const MAX_ENTRIES = 50_000;
const MAX_BYTES = 52_428_800;

// The forms are written here once more: the program's own parsers would take what its renderers write.
/** The registered names that ResourceSync 1.1 uses: 6.2, 8, 11.1 and 14. */
const RELATIONS =
  'alternate canonical collection contents describedby describes duplicate index memento profile resourcesync timegate timemap up via'.split(
    ' ',
  );
const ABSOLUTE_URI = /^[a-z][a-z0-9+.-]*:[^\s<>"]+$/i;
const DATETIME = /^(\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d)(\.\d+)?Z$/;
/** RFC 6838, 4.2, with parameters. */
const MEDIA_TYPE = /^[a-z0-9][\w!#$&^.+-]*\/[a-z0-9][\w!#$&^.+-]*( *; *[\w-]+=("[^"]*"|[^\s;"]+))*$/i;

const isDatetime = (text: string) => {
  const [, second] = DATETIME.exec(text) ?? [];
  const time = Date.parse(`${second}Z`);
  return !Number.isNaN(time) && new Date(time).toISOString().startsWith(second!);
};

const ranks = (entry: XmlElement) => entry.children.map(({ name }) => ORDER.indexOf(name));

/** Hashes of an entry that are none: `alg:hex`, in the length of the algorithm. */
const malformedHashes = (list = '') =>
  list.split(/\s+/).filter((hash) => {
    const [algorithm = '', digest = ''] = hash.split(':');
    return list !== '' && !(/^[0-9a-f]+$/i.test(digest) && digest.length === DIGEST_LENGTHS[algorithm]);
  });

const differentHashes = (list: string | undefined, body: Buffer) =>
  (list?.split(/\s+/) ?? []).filter((hash) => {
    const [algorithm = '', digest] = hash.split(':');
    return (
      algorithm in DIGEST_LENGTHS &&
      createHash(algorithm.replace('-', '')).update(body).digest('hex') !== digest?.toLowerCase()
    );
  });

const withoutParameters = (type = '') => type.split(';')[0]!.trim().toLowerCase();

/** Sections A and B of the rules: form and size of every document. */
export const ALL_DOCUMENTS: Readonly<Record<number, Rule>> = {
  1: each(({ root }) => [
    ...wrong(root.name !== 'urlset' && root.name !== 'sitemapindex', `the root is ${root.name}`),
    ...everyElement(root)
      .filter(({ name }) => /^(?!rs:)(\{.*\})?(md|ln)$/.test(name))
      .map(({ name }) => `${name} is no extension element`),
  ]),
  2: each(({ root }) => {
    const all = named(root, 'rs:md');
    return wrong(
      all.length !== 1 || all[0]!.attributes.capability === undefined,
      `${all.length} rs:md, or no capability`,
    );
  }),
  3: each((document, source) => [
    ...wrong(!CAPABILITIES.includes(capabilityOf(document) ?? ''), `capability ${capabilityOf(document)}`),
    ...partsOf(source, document)
      .filter((part) => isIndex(document) && capabilityOf(part) !== capabilityOf(document))
      .map(({ uri }) => `${uri} has another capability`),
  ]),
  4: each(({ root }) =>
    everyElement(root).flatMap(({ name, attributes }) =>
      Object.keys(attributes)
        .filter((attribute) => attribute.startsWith(RS) || !(ATTRIBUTES[name] ?? [attribute]).includes(attribute))
        .map((attribute) => `${name} has the attribute ${attribute}`),
    ),
  ),
  5: eachEntry((entry) => [
    ...wrong(named(entry, 'loc').length !== 1, 'has not one loc'),
    ...wrong(Object.keys(entry.attributes).length > 0, 'has attributes'),
  ]),
  6: eachEntry((entry) => wrong(named(entry, 'rs:md').length > 1, 'has several rs:md')),
  7: eachExtension('rs:ln', ({ attributes: { rel, href } }) => wrong(!rel || !href, `rel ${rel}, href ${href}`)),
  8: eachExtension('rs:ln', ({ attributes: { rel = '' } }) =>
    wrong(!RELATIONS.includes(rel) && !ABSOLUTE_URI.test(rel), `rel ${rel}`),
  ),
  9: eachExtension('rs:ln', ({ attributes: { pri = '1' } }) => wrong(!/^[1-9]\d{0,5}$/.test(pri), `pri ${pri}`)),
  10: each(({ root }) =>
    everyElement(root).flatMap(({ name, attributes, text }) => [
      ...wrong(name === 'lastmod' && !isDatetime(text), `lastmod ${text}`),
      ...TIMES.filter((time) => attributes[time] !== undefined && !isDatetime(attributes[time])),
    ]),
  ),
  11: each((document) => {
    const [family] = (capabilityOf(document) ?? '').split('-');
    const foreign = [
      ...(/^resource(list|dump)$/.test(family!) ? [] : ['at', 'completed']),
      ...(/^change(list|dump)$/.test(family!) ? [] : ['from', 'until']),
    ];
    return everyElement(document.root).flatMap(({ attributes }) => foreign.filter((time) => time in attributes));
  }),
  12: eachAnswered((entry, { body }) => {
    const { length = String(body.length) } = md(entry);
    return wrong(length !== String(body.length), `length ${length}, ${body.length} bytes came`);
  }),
  13: eachAnswered((entry, { headers }) =>
    wrong(md(entry).encoding !== headers['content-encoding'], `encoding ${md(entry).encoding}`),
  ),
  14: (source) => [
    ...eachEntry((entry) => malformedHashes(md(entry).hash))(source),
    ...eachAnswered((entry, { body }) => differentHashes(md(entry).hash, body))(source),
  ],
  15: (source) => [
    ...eachEntry((entry) => wrong(!MEDIA_TYPE.test(md(entry).type ?? 'a/b'), `type ${md(entry).type}`))(source),
    ...eachAnswered((entry, { headers }) => {
      const { type = headers['content-type'] } = md(entry);
      return wrong(withoutParameters(type) !== withoutParameters(headers['content-type']), `type ${type}`);
    })(source),
  ],
  16: eachAnswered((_, { status }) => wrong(status !== 200, `answers ${status}`)),
  17: eachAnswered((entry, { headers }) => {
    const lastmod = Date.parse(textOf(entry, 'lastmod') ?? '');
    const modified = Date.parse(headers['last-modified'] ?? '');
    return wrong(
      Math.floor(lastmod / 1000) !== modified / 1000 && !Number.isNaN(lastmod + modified),
      'lastmod differs',
    );
  }),
  18: eachEntry((entry) => {
    const changefreq = textOf(entry, 'changefreq') ?? 'never';
    return wrong(!FREQUENCIES.includes(changefreq), `changefreq ${changefreq}`);
  }),
  19: each((document) => {
    const first = document.root.children.findIndex(({ name }) => name === 'url' || name === 'sitemap');
    return [
      ...wrong(first >= 0 && document.root.children.slice(first).some(({ name }) => name.startsWith('rs:')), 'order'),
      ...entriesOf(document)
        .filter((entry) => ranks(entry).some((rank, at, all) => rank < 0 || rank < (all[at - 1] ?? 0)))
        .map((entry) => `${locOf(entry)} order`),
    ];
  }),
  20: eachEntry((entry) => {
    const loc = locOf(entry);
    return wrong(loc.length < 12 || loc.length > 2048 || !URL.canParse(loc) || /[\s<>"]/.test(loc), 'is no loc');
  }),
  24: each((document) => [
    ...wrong(entriesOf(document).length > MAX_ENTRIES && !isIndex(document), 'has too many entries'),
    ...wrong(document.bytes > MAX_BYTES, `has ${document.bytes} bytes`),
  ]),
  25: each((document, source) => [
    ...wrong(entriesOf(document).length > MAX_ENTRIES && isIndex(document), 'has too many parts'),
    ...wrong(isIndex(document) && partsOf(source, document).some(isIndex), 'has an index in it'),
  ]),
  26: (source) =>
    [...source.answers]
      // An error names its request, which is another one.
      .filter(
        ([, { status, body, unpacked = body }]) =>
          status === 200 && (!body.equals(unpacked) || unpacked.length > MAX_BYTES),
      )
      .map(([uri]) => `${uri} holds something else with gzip`),
};
