import * as z from 'zod';
import { excerpt, shortened } from '../../../lib/excerpt.ts';
import { parseJson } from '../../fetch/parse-json.ts';
import type { Landing } from '../../landing/landing.ts';
import { parseLinks } from '../../landing/link-header.ts';
import type { PlatformClient, PlatformReply } from '../../platform.ts';
import { badReply, parseReply } from '../parse-reply.ts';

/** A link of a set of links. */
export interface SetLink {
  /** Absolute. */
  readonly href: string;
  readonly type?: string | undefined;
  readonly title?: string | undefined;
}

/** The links of one context. */
export interface LinkContext {
  /** Absolute; undefined where the document does not say. */
  readonly anchor: string | undefined;
  readonly links: Readonly<Record<Relation, readonly SetLink[]>>;
}

/** The relations that are read; unknown members are tolerated (d18). */
const RELATIONS = ['item', 'cite-as', 'license'] as const;
type Relation = (typeof RELATIONS)[number];

const JSON_TYPE = 'application/linkset+json';
const TEXT_TYPE = 'application/linkset';
/** In a set of links as text: more than the files of any dataset. */
const MOST_LINKS = 100_000;
/** Of a document of links: 10,000 of 500. */
const MOST_CHARACTERS = 5_000_000;

const text = z.string().optional().catch(undefined);
const target = z.looseObject({ href: z.string(), type: text, title: text });
const targets = z.array(target).default([]);
const linksetSchema = z.looseObject({
  linkset: z.array(
    z.looseObject({ anchor: z.string().optional(), item: targets, 'cite-as': targets, license: targets }),
  ),
});

/**
 * Reads the set of links (RFC 9264, as JSON or as text) to which a landing page points; undefined without one.
 * @throws IngestFailure as PlatformClient; `bad-platform-reply` for what is no such document
 */
export async function readLinkset(
  { signposts }: Pick<Landing, 'signposts'>,
  client: PlatformClient,
): Promise<readonly LinkContext[] | undefined> {
  const all = signposts.filter(({ rel }) => rel === 'linkset');
  const signpost = all.find(({ type }) => type === JSON_TYPE) ?? all[0];
  if (signpost === undefined) return undefined;
  const reply = await client.text(signpost.href, { accept: signpost.type ?? `${JSON_TYPE}, ${TEXT_TYPE};q=0.9` });
  if (reply.text.length > MOST_CHARACTERS)
    throw badReply(reply.url, `has more than ${MOST_CHARACTERS.toLocaleString('en-US')} characters`);
  const isText = (reply.mimetype === '' ? signpost.type : reply.mimetype) === TEXT_TYPE;
  return isText ? contextsOfText(reply) : contextsOfJson(reply);
}

/**
 * The links whose context is the landing page, or what it is cited as.
 * @throws IngestFailure `bad-platform-reply` when files are listed of other pages alone
 */
export function contextOf(contexts: readonly LinkContext[], landing: Landing): LinkContext | undefined {
  const cited = landing.signposts.filter(({ rel }) => rel === 'cite-as').map(({ href }) => href);
  const names = [landing.url, ...landing.hops, ...cited].map(comparable);
  const own = contexts.filter(({ anchor }) => anchor === undefined || names.includes(comparable(anchor)));
  const filled = contexts.filter(({ links }) => links.item.length > 0);
  const chosen = own.find((context) => filled.includes(context)) ?? own[0];
  if (chosen !== undefined || filled.length === 0) return chosen;
  throw badReply(landing.url, `its set of links lists files of ${filled[0]!.anchor}, not of this page`);
}

/** Servers behind proxies and in several places name a page in several ways: its host and last name count. */
function comparable(uri: string): string {
  const { host, pathname } = new URL(uri);
  return `${host}/${pathname.split('/').findLast((segment) => segment !== '')}`;
}

function contextsOfJson({ text: json, url }: PlatformReply): readonly LinkContext[] {
  const { linkset } = parseReply(linksetSchema, parsedJson(json, url), url);
  return linkset.map((context) => ({
    anchor: context.anchor === undefined ? undefined : absolute(context.anchor, url),
    links: linksBy((relation) => context[relation].map((link) => ({ ...link, href: absolute(link.href, url) }))),
  }));
}

function contextsOfText({ text: links, url }: PlatformReply): readonly LinkContext[] {
  const byAnchor = Map.groupBy(parseLinks(links, MOST_LINKS), ({ anchor }) => anchor);
  return [...byAnchor].map(([anchor, ofAnchor]) => ({
    anchor: anchor === undefined ? undefined : absolute(anchor, url),
    links: linksBy((relation) =>
      ofAnchor
        .filter(({ rels }) => rels.includes(relation))
        .map((link) => ({ ...link, href: absolute(link.href, url) })),
    ),
  }));
}

function linksBy(of: (relation: Relation) => readonly SetLink[]): LinkContext['links'] {
  return { item: of('item'), 'cite-as': of('cite-as'), license: of('license') };
}

function parsedJson(json: string, url: string): unknown {
  try {
    return parseJson(json);
  } catch (error) {
    throw badReply(url, `is no JSON that can be read (${shortened((error as Error).message, 100)})`);
  }
}

function absolute(href: string, base: string): string {
  const url = URL.parse(href, base);
  if (url !== null) return url.href;
  throw badReply(base, `has a link to ${excerpt(href)}, which is no URL`);
}
