import { isTidemarkError } from './errors.ts';
import type { ResourceKey } from './key.ts';
import { type AddressRule, addressOf, type KeyPattern, type LinkRule, parseLinkRule } from './link-rule.ts';
import { linkProblem } from './link-rules.ts';
import type { Link, ResourceState } from './resource.ts';
import type { ResourceSet } from './resource-set.ts';

/** The state of a key; undefined when the set has no such resource. */
export type StateOf = (key: ResourceKey) => Pick<ResourceState, 'mime'> | undefined;

/**
 * The links that are made by the rules of a set. They depend only on which resources exist, and on their media
 * types.
 */
export class SetLinks {
  /** Relations whose links are all made by the rules. */
  readonly relations: ReadonlySet<string>;
  /** Whether links of a resource depend on which other resources exist. */
  readonly dependsOnOthers: boolean;
  readonly #rules: readonly LinkRule[];
  readonly #urlPrefix: string;

  /**
   * @param rules in the order of their links
   * @throws TidemarkError `invalid`
   */
  constructor(rules: readonly string[], urlPrefix: string) {
    this.#rules = rules.flatMap(parseLinkRule);
    this.#urlPrefix = urlPrefix;
    this.relations = new Set(this.#rules.map(({ rel }) => rel));
    this.dependsOnOthers = this.#rules.some(({ kind }) => kind === 'neighbour');
  }

  /** The keys to or from which a resource may have links, even if there are no such resources. */
  neighboursOf(key: ResourceKey): readonly ResourceKey[] {
    const found = new Set<ResourceKey>();
    for (const rule of this.#rules) {
      if (rule.kind !== 'neighbour') continue;
      for (const [one, other] of [
        [rule.from, rule.to],
        [rule.to, rule.from],
      ] as const) {
        const neighbour = counterpart(key, one, other);
        if (neighbour !== undefined && neighbour !== key) found.add(neighbour);
      }
    }
    return [...found];
  }

  /**
   * The links of a resource: its own ones with other relations, and those that the rules make. A link that would
   * violate ResourceSync, or whose URI would be too long, is left out.
   * @param former relations of earlier rules, whose links are left out
   */
  linksOf(
    key: ResourceKey,
    state: ResourceState,
    { stateOf, former }: { readonly stateOf: StateOf; readonly former?: ReadonlySet<string> | undefined },
  ): readonly Link[] {
    const links = (state.links ?? []).filter(({ rel }) => !this.relations.has(rel) && former?.has(rel) !== true);
    for (const rule of this.#rules) {
      const link = this.#linkBy(rule, key, stateOf);
      if (link !== undefined && linkProblem([...links, link], { key, state }) === undefined) links.push(link);
    }
    return links;
  }

  #linkBy(rule: LinkRule, key: ResourceKey, stateOf: StateOf): Link | undefined {
    const { rel, pri } = rule;
    const priority = pri === undefined ? undefined : { pri };
    if (rule.kind === 'address') {
      const href = this.#addressBy(rule, key);
      const media = rule.mime === undefined ? undefined : { mime: rule.mime };
      return href === undefined ? undefined : { rel, href, ...media, ...priority };
    }
    const href = counterpart(key, rule.from, rule.to);
    if (href === undefined || href === key) return undefined;
    const other = stateOf(href);
    if (other === undefined) return undefined;
    return { rel, href, ...(other.mime !== undefined && { mime: other.mime }), ...priority };
  }

  #addressBy({ from, template }: AddressRule, key: ResourceKey): ResourceKey | undefined {
    // A resource of another server has no path below the root.
    if (!key.startsWith('/')) return undefined;
    const stem = from === undefined ? '' : stemOf(key, from);
    if (stem === undefined) return undefined;
    const uri = template.replace(/\{(path|stem)\}/g, (_, name) => (name === 'path' ? key.slice(1) : stem));
    try {
      return addressOf(uri, this.#urlPrefix);
    } catch (error) {
      if (isTidemarkError(error, 'invalid')) return undefined;
      throw error;
    }
  }
}

const known = new WeakMap<ResourceSet, SetLinks>();

/** The rules of a set, even if it has none. They are parsed once for each version of the set. */
export function setLinksOf(set: ResourceSet): SetLinks {
  let links = known.get(set);
  if (links === undefined) {
    links = new SetLinks(set.linkRules ?? [], set.urlPrefix);
    known.set(set, links);
  }
  return links;
}

function stemOf(key: ResourceKey, { before, after }: KeyPattern): string | undefined {
  if (key.length <= before.length + after.length || !key.startsWith(before) || !key.endsWith(after)) return undefined;
  return key.slice(before.length, key.length - after.length);
}

function counterpart(key: ResourceKey, from: KeyPattern, to: KeyPattern): ResourceKey | undefined {
  const stem = stemOf(key, from);
  return stem === undefined ? undefined : to.before + stem + to.after;
}
