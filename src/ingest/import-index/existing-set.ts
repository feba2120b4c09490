import { isTidemarkError, TidemarkError } from '../../core/errors.ts';
import { traitsOf } from '../../core/origin.ts';
import { type Imported, type ResourceSet, slugify } from '../../core/resource-set.ts';
import type { SetRegistry } from '../../sets/set-registry.ts';
import type { SetStatistics, SetSummary } from '../../stores/set-statistics.ts';

export interface KnownSets {
  readonly sets: Pick<SetRegistry, 'list' | 'bySlug'>;
  readonly index: Pick<SetStatistics, 'summary'>;
}

/**
 * The set that an import continues: the one that an earlier import of the same name made, or an empty one that has the
 * name as its alias or id.
 * @param slug the requested id; default: made from the name
 * @throws TidemarkError `conflict` when the set of that id has another history
 */
export async function findExisting(
  known: KnownSets,
  asked: Imported,
  slug: string | undefined,
): Promise<ResourceSet | undefined> {
  const sets = slug === undefined ? await known.sets.list() : [];
  const named = sets.find((set) => isOf(set, asked)) ?? sets.find(({ aliases }) => aliases?.includes(asked.name));
  const set = named ?? (await findBySlug(known, asked, slug ?? suggestSlug(asked.name)));
  if (set === undefined) return undefined;
  const problem = problemOf(set, asked, await known.index.summary(set.id));
  if (problem === undefined) return set;
  throw new TidemarkError(
    'conflict',
    `the set ${set.slug} ${problem}; take "${asked.name}" over under another id, with --set '${asked.name}=ID'`,
    { set: set.slug },
  );
}

/** @throws TidemarkError `invalid` when nothing in the name can be part of an id */
export function suggestSlug(name: string): string {
  if (/[a-z0-9]/.test(name.normalize('NFKD').toLowerCase())) return slugify(name);
  throw new TidemarkError('invalid', `the name "${name}" suggests no set id: give it one with --set '${name}=ID'`);
}

/** @throws TidemarkError `conflict` when options contradict the existing set */
export function requireSameBase(
  existing: ResourceSet,
  draft: ResourceSet,
  options: { readonly urlPrefix?: string | undefined; readonly resourceRootDir?: string | undefined },
): void {
  for (const [option, field] of [
    ['--url-prefix', 'urlPrefix'],
    ['--resource-root-dir', 'resourceRootDir'],
  ] as const) {
    if (options[field] === undefined || draft[field] === existing[field]) continue;
    const kept = existing[field] ?? '(none)';
    throw new TidemarkError('conflict', `the set ${existing.slug} exists already, with ${option} ${kept}`, {
      set: existing.slug,
    });
  }
}

async function findBySlug({ sets }: KnownSets, { name }: Imported, slug: string): Promise<ResourceSet | undefined> {
  try {
    return await sets.bySlug(slug);
  } catch (error) {
    if (isTidemarkError(error, 'not-found')) return undefined;
    if (!isTidemarkError(error, 'gone')) throw error;
    throw new TidemarkError(
      'conflict',
      `there was a set ${slug}, and its id is not given again: use --set '${name}=ID'`,
      { set: slug },
    );
  }
}

/** Why nothing can be imported into a set. */
function problemOf(set: ResourceSet, asked: Imported, { changes, lastChange }: SetSummary): string | undefined {
  const { origin, imported } = set;
  const { source } = traitsOf(origin);
  if (source !== undefined) return `is synced with ${source}`;
  if (imported === undefined) return changes > 0 ? 'has a history of its own' : undefined;
  if (!isOf(set, asked))
    return `was taken over from "${imported.name}" in the index ${imported.index} (name that index to go on with it)`;
  if (imported.through === undefined || lastChange <= imported.through) return undefined;
  return 'was changed after it had been taken over, and taking it over again would undo that';
}

function isOf({ imported }: ResourceSet, { index, name }: Imported): boolean {
  return imported?.index === index && imported.name === name;
}
