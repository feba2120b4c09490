import { TidemarkError, unlessNotFound } from '../../core/errors.ts';
import type { ResourceSet } from '../../core/resource-set.ts';
import type { ListedRequest } from '../../datasets/results/request-list.ts';
import type { ServedApp } from '../request/served-app.ts';

/** @param isShown of a set; undefined for one that does not exist any more */
type Reader = (set: ResourceSet | undefined) => boolean;

/**
 * The request of a dataset, and its set, which the sender may read. One of another set is treated as if it had never
 * existed.
 * @throws TidemarkError `not-found`
 */
export async function shownDataset(
  { datasets, sets }: Pick<ServedApp, 'datasets' | 'sets'>,
  id: string,
  isShown: Reader,
): Promise<{ readonly dataset: ListedRequest; readonly set: ResourceSet | undefined }> {
  const document = await unlessNotFound(datasets.byId(id));
  if (document !== undefined) {
    const set = (await sets.list()).find(({ slug }) => slug === document.set);
    if (isShown(set)) return { dataset: { id, document }, set };
  }
  const message = `there is no request of a dataset with the id ${JSON.stringify(id.slice(0, 100))}`;
  throw new TidemarkError('not-found', message, { dataset: id.slice(0, 100) });
}
