import type { Request, Response } from 'express';
import type * as z from 'zod';
import type { newHarvestSchema } from '../../api/harvest-run-view.ts';
import { requireAllowedRun } from '../../api/require-allowed-run.ts';
import type { CollectionFields } from '../../records/collections/collection.ts';
import { type HarvestRun, harvestText, parseHarvestNumber } from '../../records/collections/harvest-run.ts';
import { collectionOf, param } from './admitted.ts';
import type { ServedApp } from './served-app.ts';

/** The harvest that the path names by `:collection` and `:number`. @throws TidemarkError `not-found` */
export function harvestOf(
  { records }: Pick<ServedApp, 'records'>,
  request: Request,
  response: Response,
): Promise<HarvestRun> {
  const { id: collection } = collectionOf(response);
  return records.harvestRuns.get({ collection, number: parseHarvestNumber(param(request, 'number')) });
}

/** Adds a harvest that a request asks for. @throws TidemarkError `invalid`, `not-found`, `conflict` */
export async function queueHarvest(
  { records }: Pick<ServedApp, 'records'>,
  response: Response,
  given: z.output<typeof newHarvestSchema>,
): Promise<HarvestRun> {
  const run = await records.harvestRuns.queue(collectionOf(response).id, given, { by: 'request' });
  response.locals.subject = harvestText(run);
  return run;
}

/** Requires that a request names no file of the server as a transform that it may not read. */
export function requireAllowedTransform(
  { transform }: Pick<Partial<CollectionFields>, 'transform'>,
  { configuration }: Pick<ServedApp, 'configuration'>,
): Promise<void> {
  return requireAllowedRun({ transform: transform || undefined }, configuration.apiRoots);
}
