import { type CopiedResource, modifiedMs } from '../../client/mirror/lists/wanted-resource.ts';
import type { ListedResource } from '../../client/mirror/state/copy-listing.ts';
import { isTidemarkError } from '../../core/errors.ts';
import { digestProblem, type Hashes, isHashAlgorithm } from '../../core/hash.ts';
import { mendedUri, resolveLocation } from '../../core/key.ts';
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

/** @param uri of the copied resource: a source that is itself a copy names the original (ResourceSync 1.1, 14.8) */
export function describeCopied({
  uri,
  copied,
}: Pick<ListedResource, 'uri'> & { copied: CopiedResource }): DescribedCopy {
  const { mime, via = uri } = copied.about ?? {};
  return { hashes: hashesOf(copied), ...(mime !== undefined && isMediaType(mime) && { mime }), links: linksTo(via) };
}

/** Differs for versions that are published differently. */
export function tagOf({ hash, lastmod = '', about }: CopiedResource): string {
  return [hash, lastmod, about?.mime ?? '', about?.via ?? ''].join(' ');
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

/** No links when no document could contain this one. */
function linksTo(via: string): readonly Link[] {
  try {
    return [{ rel: 'via', href: resolveLocation({ type: 'url', value: mendedUri(via) }, { urlPrefix: ELSEWHERE }) }];
  } catch (error) {
    if (isTidemarkError(error, 'invalid')) return [];
    throw error;
  }
}

/** A prefix that no URI has, since the original is not a resource of the set. */
const ELSEWHERE = 'http://invalid/';
