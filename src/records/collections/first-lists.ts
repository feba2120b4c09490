import type { Catalog } from '../../stores/catalog.ts';
import { latestPages } from '../../stores/latest-pages.ts';
import type { HarvestedList } from '../arrivals/oai-harvest/harvested-list.ts';
import { nextFrom } from '../arrivals/oai-harvest/next-from.ts';
import type { Collection } from './collection.ts';
import { HARVEST_RUN_KIND, type HarvestRun, harvestsOf, isAppliedHarvest } from './harvest-run.ts';

const DAY_CHARACTERS = '2008-05-11'.length;
/** Runs that are read at a time. */
const BATCH = 50;

/**
 * The lists of a run, before their first pages: one for each set. An incremental run asks from where the last run that
 * was applied has ended, if that has harvested the same set of the same repository in the same format.
 */
export async function firstLists(
  catalog: Pick<Catalog, 'latest'>,
  { id, sets, baseUrl, format, repository }: Collection,
  { kind, from: requestedFrom }: Pick<HarvestRun, 'kind' | 'from'>,
): Promise<readonly HarvestedList[]> {
  const isWhole = kind !== 'incremental' || repository.isStatic;
  const last = isWhole ? undefined : await lastApplied(catalog, id);
  const before = last?.baseUrl === baseUrl && last.format === format ? last.lists : [];
  const asked = sets.length === 0 ? [undefined] : sets;
  return asked.map((set) => {
    if (requestedFrom !== undefined && !isWhole) {
      const from = repository.granularity === 'day' ? requestedFrom.slice(0, DAY_CHARACTERS) : requestedFrom;
      return { ...(set !== undefined && { set }), from, pages: 0, records: 0 };
    }
    const date = before.find((list) => list.set === set)?.responseDate;
    const from = date === undefined ? {} : { from: nextFrom(date, repository.granularity) };
    return { ...(set !== undefined && { set }), ...from, pages: 0, records: 0 };
  });
}

async function lastApplied(catalog: Pick<Catalog, 'latest'>, collection: string): Promise<HarvestRun | undefined> {
  const pages = latestPages<HarvestRun>(catalog, {
    kind: HARVEST_RUN_KIND,
    prefix: harvestsOf(collection),
    limit: BATCH,
  });
  for await (const { documents } of pages) {
    const found = documents.find(({ body }) => isAppliedHarvest(body) && isOfCollection(body));
    if (found !== undefined) return found.body;
  }
  return undefined;
}

/** Whether it has harvested what the collection says: after another one, records between both could be missed. */
function isOfCollection({ sets, from, pieces }: HarvestRun): boolean {
  return sets === undefined && from === undefined && pieces === undefined;
}
