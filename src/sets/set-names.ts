import { TidemarkError } from '../core/errors.ts';
import type { Imported, ResourceSet, SetId } from '../core/resource-set.ts';

type Named = Pick<ResourceSet, 'id' | 'slug' | 'aliases' | 'removed'>;

/** The names (slugs and aliases) of all sets that are not removed. A name belongs to only one set. */
export class SetNames {
  readonly #idOf = new Map<string, SetId>();

  /** Replaces the names of a set. */
  replace(before: Named | undefined, set: Named): void {
    for (const name of namesOf(before)) if (this.#idOf.get(name) === set.id) this.#idOf.delete(name);
    for (const name of namesOf(set)) this.#idOf.set(name, set.id);
  }

  /** @throws TidemarkError `conflict` when another set has one of the names */
  requireFree(set: Named): void {
    const taken = namesOf(set).find((name) => !this.#isFreeFor(set.id, name));
    if (taken === undefined) return;
    throw new TidemarkError('conflict', `"${taken}" is the id or an alias of another set: choose another name`, {
      set: set.slug,
    });
  }

  /**
   * The aliases of a set. The name of the set that it was imported from is added, unless it is in use, or is a name of
   * the set already.
   */
  aliasesOf(set: Named, imported: Imported | undefined): Pick<ResourceSet, 'aliases'> {
    const aliases = imported === undefined ? (set.aliases ?? []) : this.#aliasesWith(set, imported.name);
    return aliases.length === 0 ? {} : { aliases };
  }

  #aliasesWith({ id, slug, aliases = [] }: Named, name: string): readonly string[] {
    const isNew = name !== slug && !aliases.includes(name);
    return isNew && this.#isFreeFor(id, name) ? [...aliases, name] : aliases;
  }

  #isFreeFor(id: SetId, name: string): boolean {
    return (this.#idOf.get(name) ?? id) === id;
  }
}

function namesOf(set: Named | undefined): readonly string[] {
  return set === undefined || set.removed !== undefined ? [] : [set.slug, ...(set.aliases ?? [])];
}
