import { type ResourceKey, resolveTarget } from '../core/key.ts';
import { parseRelation } from '../core/link-relations.ts';
import { linkProblem, withoutRepeats } from '../core/link-rules.ts';
import type { Link, ResourceState } from '../core/resource.ts';
import type { ResourceSet } from '../core/resource-set.ts';
import { postedHashes } from './posted-hashes.ts';
import type { PostedEvent } from './posted-schema.ts';
import { checkMediaType, checkRepresentable, toSeconds, wrong } from './posted-values.ts';

type PostedLink = NonNullable<PostedEvent['ln']>[number];

interface PostedOf {
  readonly set: ResourceSet;
  readonly key: ResourceKey;
  /** The state of the resource without its links. */
  readonly state: ResourceState;
  /** Milliseconds since 1970. */
  readonly now: number;
}

/**
 * The links of a posted event.
 * @throws TidemarkError `invalid` that names the field at fault, and the section of ResourceSync 1.1 that it breaks
 */
export function postedLinks(posted: readonly PostedLink[], of: PostedOf): readonly Link[] {
  const links = posted.map((link, at) => toLink(link, `ln[${at}]`, of));
  const problem = linkProblem(links, of);
  if (problem !== undefined) throw wrong(`ln[${problem.at}].${problem.field}`, problem.code, problem.message);
  return links.map((link) => withoutRepeats(link, of.state));
}

function toLink(
  { rel, href, mime, pri, modified, length, md5, hash }: PostedLink,
  field: string,
  { set, now }: PostedOf,
): Link {
  const hashes = postedHashes(md5, hash, `${field}.`);
  return {
    rel: toRelation(rel, `${field}.rel`),
    href: resolveTarget(href, set, `${field}.href.value`),
    ...(mime !== undefined && { mime: checkMediaType(`${field}.mime`, mime) }),
    ...(pri !== undefined && { pri }),
    ...(modified !== undefined && { modified: toSeconds(`${field}.modified`, modified, now) }),
    ...(length !== undefined && { length }),
    ...(hashes !== undefined && { hashes }),
  };
}

function toRelation(rel: string, field: string): string {
  // It is not registered at IANA; it is reserved, as the registered ones of documents are.
  const relation = rel.toLowerCase() === 'resourcesync' ? 'resourcesync' : parseRelation(rel);
  if (relation !== undefined) return relation;
  checkRepresentable(field, rel);
  const found = JSON.stringify(rel.slice(0, 80));
  throw wrong(field, 'unknown-relation', `is ${found}, neither a name registered at IANA nor an absolute URI`);
}
