import { TidemarkError } from '../../core/errors.ts';
import { MAX_TITLE_LENGTH, parseSlug, type ResourceSet } from '../../core/resource-set.ts';
import { draftSet, type NewSet } from '../../sets/new-set.ts';
import { findExisting, type KnownSets, requireSameBase, suggestSlug } from './existing-set.ts';

/** The options of the imported sets. */
interface TargetOptions {
  /** The index, as given. */
  readonly index: string;
  /** `NAME` or `NAME=ID`: only these sets. All of them, when there is none. */
  readonly chosen: readonly string[];
  /** `{set}` in these is replaced by the id of the set. */
  readonly urlPrefix?: string | undefined;
  readonly resourceRootDir?: string | undefined;
}

export interface TargetParts extends KnownSets {
  readonly baseUrl: string;
}

/** The set into which a `resource_set` is imported. */
export interface TargetSet {
  readonly number: number;
  readonly name: string;
  /** The set that documents are read for; a set still to be made has no final id and epoch yet. */
  readonly set: ResourceSet;
  /** How to make it; undefined when it exists. */
  readonly toAdd: NewSet | undefined;
  /** Accepted documents. */
  resources: number;
  changes: number;
}

/** A requested set, optionally with an id. */
interface Choice {
  readonly slug?: string;
}

/**
 * The imported sets, by their names in documents. Writes nothing; a set that cannot be imported stops the import before
 * it begins.
 */
export class TargetSets {
  readonly #parts: TargetParts;
  readonly #options: TargetOptions;
  readonly #byName = new Map<string, TargetSet | undefined>();
  readonly #bySlug = new Map<string, string>();
  readonly #all: TargetSet[] = [];
  readonly #chosen = new Set<string>();

  constructor(parts: TargetParts, options: TargetOptions) {
    this.#parts = parts;
    this.#options = options;
  }

  get all(): readonly TargetSet[] {
    return this.#all;
  }

  /** Whether a name is known. */
  has(name: string): boolean {
    return this.#byName.has(name);
  }

  /** The set of a known name; undefined when it must not be imported. */
  get(name: string): TargetSet | undefined {
    return this.#byName.get(name);
  }

  /** @throws TidemarkError `conflict` when its set has another history, `invalid` when its name makes no id */
  async meet(name: string): Promise<void> {
    const choice = this.#choose(name);
    const target = choice && (await this.#target(name, choice));
    if (target !== undefined) this.#all.push(target);
    this.#byName.set(name, target);
  }

  /** @throws TidemarkError `not-found` when a requested set has no documents */
  requireChosen(): void {
    const missing = this.#options.chosen.filter((text) => !this.#chosen.has(text));
    if (missing.length === 0) return;
    const names = [...this.#byName.keys()].slice(0, 20).map((name) => JSON.stringify(name));
    const there = names.length === 0 ? 'it has none of any set' : `it has those of ${names.join(', ')}`;
    throw new TidemarkError('not-found', `the index has no documents of the set "${missing[0]}": ${there}`);
  }

  /** Undefined when it was not requested. */
  #choose(name: string): Choice | undefined {
    const { chosen } = this.#options;
    // A name may itself contain an equals sign.
    const text = chosen.find((one) => one === name) ?? chosen.find((one) => one.startsWith(`${name}=`));
    if (text === undefined && chosen.length > 0) return undefined;
    if (text !== undefined) this.#chosen.add(text);
    return text === undefined || text === name ? {} : { slug: parseSlug(text.slice(name.length + 1)) };
  }

  async #target(name: string, choice: Choice): Promise<TargetSet> {
    const { urlPrefix, resourceRootDir, index } = this.#options;
    const imported = { index, name };
    const existing = await findExisting(this.#parts, imported, choice.slug);
    const slug = existing?.slug ?? choice.slug ?? suggestSlug(name);
    this.#requireOnce(name, slug);
    const toAdd: NewSet = {
      slug,
      title: name
        .replace(/\p{Cc}/gu, ' ')
        .slice(0, MAX_TITLE_LENGTH)
        .toWellFormed(),
      urlPrefix: urlPrefix?.replaceAll('{set}', slug),
      resourceRootDir: resourceRootDir?.replaceAll('{set}', slug),
      imported,
    };
    const draft = { ...draftSet(toAdd, this.#parts.baseUrl), id: 0, epochStart: 0 };
    if (existing !== undefined) requireSameBase(existing, draft, this.#options);
    return {
      number: this.#all.length,
      name,
      set: existing ?? draft,
      toAdd: existing === undefined ? toAdd : undefined,
      resources: 0,
      changes: 0,
    };
  }

  #requireOnce(name: string, slug: string): void {
    const same = this.#bySlug.get(slug);
    this.#bySlug.set(slug, name);
    if (same === undefined) return;
    throw new TidemarkError(
      'conflict',
      `the sets "${same}" and "${name}" would both get the id ${slug}: give them others with --set 'NAME=ID', and name all that are to be taken over`,
    );
  }
}
