import * as z from 'zod';
import { IngestFailure } from '../../ingest-failure.ts';
import type { Landing } from '../../landing/landing.ts';
import type { PlatformClient, PlatformReply } from '../../platform.ts';
import { type LinkValue, parseLinkValues } from './link-values.ts';

/** A link of a set of links. */
export interface SetLink {
  /** Absolute. */
  readonly href: string;
  readonly type?: string | undefined;
  readonly title?: string | undefined;
  /** An attribute of its own of some servers: bytes. */
  readonly length?: unknown;
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

const text = z.string().optional().catch(undefined);
const target = z.looseObject({ href: z.string(), type: text, title: text, length: z.unknown() });
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
  const message = `the set of links of ${landing.url} lists files of ${filled[0]!.anchor}: its anchor has to be the landing page`;
  throw new IngestFailure('bad-platform-reply', message);
}

/** Servers behind proxies and in several places name a page in several ways: its host and last name count. */
function comparable(uri: string): string {
  const { host, pathname } = new URL(uri);
  return `${host}/${pathname.split('/').findLast((segment) => segment !== '')}`;
}

function contextsOfJson(reply: PlatformReply): readonly LinkContext[] {
  const { linkset } = parsed(reply, () => linksetSchema.parse(JSON.parse(reply.text)));
  return linkset.map((context) => ({
    anchor: context.anchor === undefined ? undefined : absolute(context.anchor, reply),
    links: linksBy((relation) => context[relation].map((link) => ({ ...link, href: absolute(link.href, reply) }))),
  }));
}

function contextsOfText(reply: PlatformReply): readonly LinkContext[] {
  const byAnchor = new Map<string | undefined, LinkValue[]>();
  for (const link of parsed(reply, () => parseLinkValues(reply.text))) {
    const anchor = link.parameters.get('anchor');
    const known = byAnchor.get(anchor);
    if (known === undefined) byAnchor.set(anchor, [link]);
    else known.push(link);
  }
  return [...byAnchor].map(([anchor, links]) => {
    const has = ({ parameters }: LinkValue, relation: Relation) =>
      (parameters.get('rel') ?? '').toLowerCase().split(/\s+/).includes(relation);
    return {
      anchor: anchor === undefined ? undefined : absolute(anchor, reply),
      links: linksBy((relation) => links.filter((link) => has(link, relation)).map((link) => toSetLink(link, reply))),
    };
  });
}

function toSetLink({ href, parameters }: LinkValue, reply: PlatformReply): SetLink {
  const named = (name: string) => parameters.get(name);
  return { href: absolute(href, reply), type: named('type'), title: named('title'), length: named('length') };
}

function linksBy(of: (relation: Relation) => readonly SetLink[]): LinkContext['links'] {
  return { item: of('item'), 'cite-as': of('cite-as'), license: of('license') };
}

function parsed<T>(reply: PlatformReply, parse: () => T): T {
  try {
    return parse();
  } catch (error) {
    const reason = error instanceof z.ZodError ? z.prettifyError(error) : (error as Error).message;
    throw badReply(reply, `is no set of links (RFC 9264): ${reason.slice(0, 300)}`);
  }
}

function absolute(href: string, reply: PlatformReply): string {
  if (URL.canParse(href, reply.url)) return new URL(href, reply.url).href;
  throw badReply(reply, `has a link to ${JSON.stringify(href.slice(0, 200))}, which is no URL`);
}

function badReply({ url }: PlatformReply, problem: string): IngestFailure {
  return new IngestFailure('bad-platform-reply', `the document ${url} ${problem}`);
}
