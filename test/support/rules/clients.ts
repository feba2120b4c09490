import {
  eachAnswered,
  eachEntry,
  eachOf,
  entriesOf,
  hasLastmod,
  locOf,
  md,
  type Rule,
  textOf,
  wrong,
} from './source.ts';

const NAMES: Readonly<Record<string, string>> = { resourcelist: '/resourcelist.xml', changelist: '/changelist.xml' };

const isWithin = (host: string, other: string) => host === other || host.endsWith(`.${other}`);

/** Section P of the rules: what real clients stumble over. */
export const CLIENTS: Readonly<Record<number, Rule>> = {
  119: eachEntry((entry) => wrong(/\s/.test(md(entry).hash ?? ''), 'has several hashes')),
  120: (source) => [
    ...eachEntry((entry) => wrong(/\./.test(textOf(entry, 'lastmod') ?? ''), 'has a fraction of a second in lastmod'))(
      source,
    ),
    ...eachAnswered((entry, { headers }) =>
      wrong(
        hasLastmod(entry) && Date.parse(headers['last-modified'] ?? '') !== Date.parse(textOf(entry, 'lastmod')!),
        `has lastmod ${textOf(entry, 'lastmod')}, but Last-Modified ${headers['last-modified']}`,
      ),
    )(source),
  ],
  121: eachAnswered((entry) =>
    wrong(!hasLastmod(entry) || !md(entry).hash || !md(entry).length, 'lacks hash, lastmod or length'),
  ),
  122: eachEntry((entry, { uri }) => {
    if (!URL.canParse(locOf(entry))) return [];
    const [resource, list] = [new URL(locOf(entry)), new URL(uri)];
    return wrong(
      resource.protocol !== list.protocol || !isWithin(resource.hostname, list.hostname),
      'is on another host',
    );
  }),
  123: eachOf('capabilitylist', (list) =>
    entriesOf(list)
      .filter(
        (entry) => new URL('.', list.uri).href + (NAMES[md(entry).capability ?? ''] ?? '').slice(1) !== locOf(entry),
      )
      .map((entry) => `${locOf(entry)} has another name than older clients expect`),
  ),
  124: ({ answers, documents }) => {
    const robots = [...answers].filter(([uri]) => uri.endsWith('/robots.txt')).map(([, { body }]) => body.toString());
    const sitemaps = robots.flatMap((text) => [...text.matchAll(/^sitemap:\s*(\S+)/gim)].map(([, uri]) => uri!));
    return sitemaps.filter((uri) => documents.has(uri));
  },
};
