import { createHash } from 'node:crypto';
import { type CopiedResource, modifiedMs } from '../../client/mirror/lists/wanted-resource.ts';
import type { ListedResource } from '../../client/mirror/state/copy-listing.ts';
import { isTidemarkError } from '../../core/errors.ts';
import { digestProblem, type Hashes, isHashAlgorithm } from '../../core/hash.ts';
import { keyOfPath, mendedUri, type ResourceKey, resolveTarget } from '../../core/key.ts';
import { linkProblem, withoutRepeats } from '../../core/link-rules.ts';
import { isMediaType } from '../../core/media-type.ts';
import type { Link } from '../../core/resource.ts';

const NANOSECONDS_PER_MILLISECOND = 1_000_000n;
const NANOSECONDS_PER_SECOND = 1_000_000_000n;

/** What is known of a copied file without reading it. */
interface DescribedCopy {
  readonly hashes: Hashes;
  readonly mime?: string;
  readonly links: readonly Link[];
}

/**
 * A copied resource whose links to other copied resources lead to their copies: `href` is a key then. Only the link to
 * the original is kept as it is (ResourceSync 1.1, 14.8).
 * @param pathOf the path of a resource of the source; undefined unless its copy is published
 */
export function withOwnLinks(copied: CopiedResource, pathOf: (uri: string) => string | undefined): CopiedResource {
  const { about } = copied;
  if (about?.links === undefined) return copied;
  const links = about.links.map((link) => {
    const path = link.rel === 'via' ? undefined : pathOf(link.href);
    return path === undefined ? link : { ...link, href: keyOfPath(path) };
  });
  return { ...copied, about: { ...about, links } };
}

/**
 * @param uri of the copied resource: a source that is itself a copy names the original (ResourceSync 1.1, 14.8)
 * @param copied as `withOwnLinks` returns it
 */
export function describeCopied({ key, uri, copied }: Described): DescribedCopy {
  const { mime, links = [] } = copied.about ?? {};
  const described = { hashes: hashesOf(copied), ...(mime !== undefined && isMediaType(mime) && { mime }) };
  const state = { ...described, length: copied.length };
  const kept: Link[] = [];
  // Each link is checked with one other of its relation: there may be thousands.
  const firstOf = new Map<string, Link>();
  const original: Link = { rel: 'via', href: uri };
  for (const link of links.some(({ rel }) => rel === 'via') ? links : [original, ...links]) {
    const href = targetOf(link);
    if (href === undefined) continue;
    const made = { ...link, href };
    const first = firstOf.get(link.rel);
    if (linkProblem(first === undefined ? [made] : [first, made], { key, state }) !== undefined) continue;
    if (first === undefined) firstOf.set(link.rel, made);
    kept.push(withoutRepeats(made, state));
  }
  return { ...described, links: kept };
}

type Described = Pick<ListedResource, 'key' | 'uri'> & { readonly copied: CopiedResource };

/**
 * Differs for versions that are published differently.
 * @param copied as `withOwnLinks` returns it
 */
export function tagOf({ hash, lastmod = '', about: { mime = '', links = [] } = {} }: CopiedResource): string {
  return [hash, lastmod, mime, textOf(links)].join(' ');
}

/** The original alone is its own text, as in earlier versions, so that their tags stay valid. */
function textOf(links: readonly Link[]): string {
  const [only, ...others] = links;
  if (only === undefined) return '';
  if (others.length === 0 && only.rel === 'via' && Object.keys(only).length === 2) return only.href;
  return createHash('sha256').update(JSON.stringify(links)).digest('base64url');
}

/**
 * Modification time in nanoseconds since 1970, in whole seconds as the copied file has it; undefined when the source
 * did not state one.
 */
export function modifiedNs({ lastmod }: CopiedResource): bigint | undefined {
  const ms = modifiedMs(lastmod);
  return ms === undefined ? undefined : BigInt(ms) * NANOSECONDS_PER_MILLISECOND;
}

export function wholeSeconds(nanoseconds: bigint): bigint {
  return (nanoseconds / NANOSECONDS_PER_SECOND) * NANOSECONDS_PER_SECOND;
}

function hashesOf({ hash }: CopiedResource): Hashes {
  const [algorithm = '', digest = ''] = hash.split(':');
  return isHashAlgorithm(algorithm) && digestProblem(algorithm, digest) === undefined ? { [algorithm]: digest } : {};
}

/** Undefined when no document could contain the link. */
function targetOf({ href }: Link): ResourceKey | undefined {
  if (href.startsWith('/')) return href;
  try {
    return resolveTarget({ type: 'url', value: mendedUri(href) }, { urlPrefix: ELSEWHERE });
  } catch (error) {
    if (isTidemarkError(error, 'invalid')) return undefined;
    throw error;
  }
}

/** A prefix that no URI has, since the target is not a resource of the set. */
const ELSEWHERE = 'http://invalid/';
