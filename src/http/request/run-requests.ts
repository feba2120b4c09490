import type { Request, Response } from 'express';
import type * as z from 'zod';
import { administers, may } from '../../access/may.ts';
import type { newHarvestSchema } from '../../api/harvest-run-view.ts';
import { readsFiles, requireAllowedRun } from '../../api/require-allowed-run.ts';
import { TidemarkError } from '../../core/errors.ts';
import type { RunRequest } from '../../records/activities/run-request.ts';
import { isStreamInput, parseStreamInput } from '../../records/activities/stream-input.ts';
import type { CollectionChanges } from '../../records/collections/collection.ts';
import { type HarvestRun, harvestText, parseHarvestNumber } from '../../records/collections/harvest-run.ts';
import { streamOf } from '../../records/organization.ts';
import { readersOf } from '../../records/organization-readers.ts';
import { type ActivityRun, parseRun } from '../../records/runs/activity-run.ts';
import type { ActivityRuns } from '../../records/runs/activity-runs.ts';
import { collectionOf, organizationOf, param, senderOf, senderText } from './admitted.ts';
import type { ServedApp } from './served-app.ts';

/**
 * Adds a run that a request asks for. Its sender may upload for the organization.
 * @throws TidemarkError `invalid`; `forbidden` for files that the sender, or the server, may not read;
 *   `not-found` for a stream that the sender may not read
 */
export async function queueRequested(
  app: Pick<ServedApp, 'records' | 'configuration'>,
  response: Response,
  given: Omit<RunRequest, 'provider'>,
): Promise<ActivityRun> {
  const { id: provider } = organizationOf(response);
  if (readsFiles(given)) {
    requireAdministrator(response);
    await requireAllowedRun(given, app.configuration.apiRoots);
  }
  for (const field of ['input', 'plan'] as const) requireOwn(given[field], field, provider);
  return queue(app, response, given, 'request');
}

/**
 * Adds a run with the options of another one, which reads what that one has read. Files that a command or a schedule
 * has named may be read again: the request does not choose them.
 * @throws as `queueRequested`; `invalid` when it has read standard input
 */
export async function repeatRequested(
  app: Pick<ServedApp, 'records' | 'configuration'>,
  response: Response,
  run: ActivityRun,
  acceptDrop: boolean,
): Promise<ActivityRun> {
  const { organization, activity, generator, trigger } = run;
  const { started: _, ...options } = run.options;
  const input = options.plan === undefined && generator?.startsWith(`${organization}/`) ? generator : options.input;
  const given = { ...options, activity, ...(input !== undefined && { input }), ...(acceptDrop && { acceptDrop }) };
  if (given.from === '-') throw new TidemarkError('invalid', 'standard input cannot be read again', { field: 'from' });
  if (trigger.by === 'request') return queueRequested(app, response, given);
  if (readsFiles(given)) requireAdministrator(response);
  return queue(app, response, given, 'repeat');
}

function requireAdministrator(response: Response): void {
  if (administers(senderOf(response))) return;
  throw new TidemarkError('forbidden', 'only administrators may have files of the server read', { field: 'from' });
}

/** @throws TidemarkError `not-found` for a stream that does not exist, or that the sender may not read */
async function requireReadable(
  { records }: Pick<ServedApp, 'records'>,
  response: Response,
  from: string | undefined,
): Promise<void> {
  if (!isStreamInput(from)) return;
  const sender = senderOf(response);
  const { organization, stream } = parseStreamInput(from);
  const found = await records.organizations.get(organization, (one) =>
    may(sender, 'read-organization', readersOf(one)),
  );
  if (stream !== undefined) streamOf(found, stream);
}

async function queue(
  { records }: Pick<ServedApp, 'records'>,
  response: Response,
  given: Omit<RunRequest, 'provider'>,
  by: 'request' | 'repeat',
): Promise<ActivityRun> {
  const { id: provider } = organizationOf(response);
  await requireReadable({ records }, response, given.from);
  const run = await records.runs.queue({ ...given, provider }, { by, sender: senderText(response) });
  response.locals.subject = `${provider}/${run.activity}/${run.number}`;
  return run;
}

/** An error must not reveal which artifacts of other providers exist. */
function requireOwn(key: string | undefined, field: string, provider: string): void {
  if (key === undefined || key.replace(/^\//, '').startsWith(`${provider}/`)) return;
  throw new TidemarkError('invalid', `${field} has to be a key of ${provider}: it begins with ${provider}/`, { field });
}

/** The run that the path names by `:org`, `:activity` and `:number`. @throws TidemarkError `not-found` */
export function runOf(runs: Pick<ActivityRuns, 'get'>, request: Request): Promise<ActivityRun> {
  return runs.get(parseRun(param(request, 'org'), param(request, 'activity'), param(request, 'number')));
}

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
  { transform }: Pick<CollectionChanges, 'transform'>,
  { configuration }: Pick<ServedApp, 'configuration'>,
): Promise<void> {
  return requireAllowedRun({ transform: transform || undefined }, configuration.apiRoots);
}
