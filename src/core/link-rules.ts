import { HASH_ALGORITHMS, type Hashes } from './hash.ts';
import type { ResourceKey } from './key.ts';
import { NAVIGATION_RELATIONS, PATCH_RELATION } from './link-relations.ts';
import type { Link, ResourceState } from './resource.ts';

/** The requirements of a relation for a link, besides `rel` and `href`. */
interface RelationRule {
  /** The section of ResourceSync 1.1. */
  readonly section: string;
  /** The link must not lead to the resource itself: that would be useless or wrong. */
  readonly leadsElsewhere?: true;
  /** A resource has at most one such link. */
  readonly isSingle?: true;
  readonly needs?: 'mime' | 'modified';
  /** The target has exactly the same bytes. */
  readonly hasSameBytes?: true;
}

/** Relations that are not in the table (`profile`, `describedby`, `timemap` …) have no other requirements. */
const RULES: ReadonlyMap<string, RelationRule> = new Map([
  ['duplicate', { section: '14.2', leadsElsewhere: true, hasSameBytes: true }],
  ['alternate', { section: '14.3', leadsElsewhere: true }],
  ['canonical', { section: '14.3', leadsElsewhere: true, isSingle: true }],
  [PATCH_RELATION, { section: '14.4', leadsElsewhere: true, needs: 'mime' }],
  ['memento', { section: '14.6', needs: 'modified' }],
  ['timegate', { section: '14.6', isSingle: true }],
  ['collection', { section: '14.7', leadsElsewhere: true }],
  ['via', { section: '14.8', leadsElsewhere: true, isSingle: true }],
]);

/** The fault of one link of a resource. */
interface LinkProblem {
  readonly code: string;
  /** The index of the link. */
  readonly at: number;
  readonly field: 'rel' | 'href' | 'mime' | 'modified' | 'length' | 'hash';
  /** The text after the name of the field. */
  readonly message: string;
}

interface Linking {
  readonly key: ResourceKey;
  readonly state: Pick<ResourceState, 'mime' | 'length' | 'hashes'>;
}

/** The first link that violates ResourceSync 1.1, 6.2 or 14; undefined when none does. */
export function linkProblem(links: readonly Link[], linking: Linking): LinkProblem | undefined {
  const single = new Set<string>();
  for (const [at, link] of links.entries()) {
    const problem = problemOf(link, linking, single);
    if (problem === undefined) continue;
    const [field, code, section, message] = problem;
    return { at, field, code, message: `${message} (ResourceSync 1.1, ${section})` };
  }
  return undefined;
}

type Found = readonly [field: LinkProblem['field'], code: string, section: string, message: string];

function problemOf(link: Link, { key, state }: Linking, single: Set<string>): Found | undefined {
  const { rel, href } = link;
  if (NAVIGATION_RELATIONS.has(rel)) {
    return ['rel', 'reserved-relation', '6.2', `is "${rel}", by which ResourceSync documents link to each other`];
  }
  const rule = RULES.get(rel);
  if (rule === undefined) return undefined;
  const { section } = rule;
  if (rule.isSingle && single.has(rel)) {
    return ['rel', 'repeated-relation', section, `is "${rel}" again: a resource has at most one such link`];
  }
  single.add(rel);
  if (rule.needs === 'mime' && link.mime === undefined) {
    const message = 'is missing: a patch must have the media type that says how to apply it';
    return ['mime', 'patch-without-type', section, message];
  }
  if (rule.needs === 'modified' && link.modified === undefined) {
    return ['modified', 'memento-without-modified', section, 'is missing: it says which version the memento is'];
  }
  if (rule.leadsElsewhere && href === key) {
    return ['href', 'link-to-itself', section, `is the resource itself, of which it cannot be "${nameOf(rel)}"`];
  }
  const field = rule.hasSameBytes ? contradiction(link, state) : undefined;
  if (field === undefined) return undefined;
  return [
    field,
    'not-a-duplicate',
    section,
    'contradicts that of the resource, of which a duplicate has the same bytes',
  ];
}

const nameOf = (rel: string) => (rel === PATCH_RELATION ? 'patch' : rel);

function contradiction(link: Link, state: Linking['state']): 'mime' | 'length' | 'hash' | undefined {
  if (differ(link.length, state.length)) return 'length';
  if (HASH_ALGORITHMS.some((name) => differ(link.hashes?.[name], state.hashes?.[name]))) return 'hash';
  return differ(essence(link.mime), essence(state.mime)) ? 'mime' : undefined;
}

function differ(one: unknown, other: unknown): boolean {
  return one !== undefined && other !== undefined && one !== other;
}

/** A media type without its parameters. */
function essence(mime: string | undefined): string | undefined {
  return mime?.replace(/;.*/s, '').trim().toLowerCase();
}

/**
 * A link without redundant attributes: for a duplicate, those of the resource itself (ResourceSync 1.1, 14.2); for a
 * timegate, all but its target (14.6).
 */
export function withoutRepeats(link: Link, state: Linking['state']): Link {
  const { rel, href } = link;
  if (rel === 'timegate') return { rel, href };
  if (rel !== 'duplicate') return link;
  const { mime, length, hashes, ...others } = link;
  const own = hashes && hashesBeside(hashes, state.hashes);
  return {
    ...others,
    ...(mime !== undefined && state.mime === undefined && { mime }),
    ...(length !== undefined && state.length === undefined && { length }),
    ...(own !== undefined && { hashes: own }),
  };
}

function hashesBeside(hashes: Hashes, known: Hashes = {}): Hashes | undefined {
  const own = HASH_ALGORITHMS.filter((name) => hashes[name] !== undefined && known[name] === undefined);
  return own.length === 0 ? undefined : Object.fromEntries(own.map((name) => [name, hashes[name]]));
}
