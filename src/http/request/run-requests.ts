import type { Request, Response } from 'express';
import { administers } from '../../access/may.ts';
import { readsFiles, requireAllowedRun } from '../../api/require-allowed-run.ts';
import { TidemarkError } from '../../core/errors.ts';
import type { RunRequest } from '../../records/activities/run-request.ts';
import { type ActivityRun, parseRun } from '../../records/activities/runs/activity-run.ts';
import type { ActivityRuns } from '../../records/activities/runs/activity-runs.ts';
import { organizationOf, param, senderOf, senderText } from './admitted.ts';
import type { ServedApp } from './served-app.ts';

/**
 * Adds a run that a request asks for. Its sender may upload for the organization.
 * @throws TidemarkError `invalid`; `forbidden` for files that the sender, or the server, may not read
 */
export async function queueRequested(
  { records, configuration }: Pick<ServedApp, 'records' | 'configuration'>,
  response: Response,
  given: Omit<RunRequest, 'provider'>,
): Promise<ActivityRun> {
  const { id: provider } = organizationOf(response);
  const sender = senderOf(response);
  if (readsFiles(given)) {
    if (!administers(sender)) {
      throw new TidemarkError('forbidden', 'only administrators may have files of the server read', { field: 'from' });
    }
    await requireAllowedRun(given, configuration.apiRoots);
  }
  for (const field of ['input', 'plan'] as const) requireOwn(given[field], field, provider);
  const run = await records.runs.queue({ ...given, provider }, { by: 'request', sender: senderText(response) });
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
