import { isTidemarkError, TidemarkError } from '../../core/errors.ts';
import { withoutPaths } from '../../core/without-paths.ts';
import type { Catalog } from '../../stores/catalog.ts';
import type { JobProgress } from '../../stores/job.ts';
import type { Progress } from '../activities/gathering.ts';
import { performRun, type RunParts } from '../activities/perform-run.ts';
import type { RunOptionsGiven, RunRequest } from '../activities/run-request.ts';
import type { ActivityRun, NamedRun, RunTrigger } from './activity-run.ts';
import { isOpenRun, runText } from './activity-run.ts';
import { findRunOfJob } from './find-runs.ts';
import { RunRecord } from './run-record.ts';
import { settleClaim } from './settle-claim.ts';

/** What a job runs: a run that was recorded before, or one that it records itself. */
export type RunOfJob = Pick<NamedRun, 'organization' | 'activity'> &
  (
    | { readonly number: number }
    | { readonly number?: undefined; readonly options: RunOptionsGiven; readonly trigger: RunTrigger }
  );

interface Parts extends Pick<RunParts, 'store' | 'configuration' | 'openRoot' | 'openStream' | 'version'> {
  readonly catalog: Pick<Catalog, 'get' | 'put' | 'latest'>;
  /** Checks again what a request may name: files may have changed since. @throws TidemarkError `forbidden` */
  requireAllowed(options: RunOptionsGiven): Promise<void>;
}

/** An attempt of a job: see jobs/job-definition.ts. */
interface Attempt {
  readonly name: string;
  readonly signal: AbortSignal;
  report(progress: JobProgress): void;
  log(text: string): void;
}

/** Runs activities for jobs. Several attempts, even at the same time, make one artifact. */
export class ActivityRunner {
  readonly #parts: Parts;

  constructor(parts: Parts) {
    this.#parts = parts;
  }

  /**
   * Makes an attempt, and returns the run when it has ended.
   * @throws TidemarkError `conflict` when another attempt has begun meanwhile, and as `performRun`
   */
  async run(work: RunOfJob, attempt: Attempt): Promise<ActivityRun> {
    const record = await this.#recordOf(work, attempt.name);
    // An attempt that was killed after it had recorded the end.
    if (record.run.state === 'succeeded' || record.run.state === 'stopped') return record.run;
    await record.update({ state: 'running', started: Date.now(), ended: undefined });
    try {
      await this.#attempt(record, attempt);
    } catch (error) {
      throw await this.#failed(record, error, attempt);
    }
    return record.run;
  }

  async #recordOf(work: RunOfJob, job: string): Promise<RunRecord> {
    const { catalog } = this.#parts;
    const name = work.number === undefined ? await findRunOfJob(catalog, work, job) : work;
    const found = name && (await RunRecord.open(catalog, name));
    if (found !== undefined) return found;
    if (work.number !== undefined) throw new TidemarkError('invalid', `there is no run ${runText(work)}`);
    const { options, trigger } = work;
    return RunRecord.add(catalog, work, () => ({ state: 'waiting', options, trigger, job }));
  }

  async #attempt(record: RunRecord, { signal, report, log }: Attempt): Promise<void> {
    const { store } = this.#parts;
    const { claimed, organization: provider, activity, options, trigger } = record.run;
    const settled = claimed && (await settleClaim(store, claimed, signal));
    if (settled) {
      log(`an earlier attempt has made ${settled.key}`);
      return record.endWith(settled);
    }
    if (trigger.by === 'request') await this.#parts.requireAllowed(options);
    const request: RunRequest = { ...options, provider, activity };
    const performed = await performRun(request, {
      ...this.#parts,
      workingDirectory: '/',
      signal,
      onClaimed: ({ key, generator }) => record.update({ claimed: key, generator }),
      onProgress: (progress) => report(jobProgress(progress)),
      onHint: log,
    });
    const { summary } = performed.outcome;
    const what = summary.published ? `wrote ${summary.key}` : 'published nothing, as the run says';
    log(`read ${summary.attempted} records, ${summary.failed} failed: ${what}`);
    return record.end(performed);
  }

  /** Records why an attempt failed, and returns the error for the job: what is wrong with the run stays wrong. */
  async #failed(record: RunRecord, error: unknown, { signal }: Attempt): Promise<unknown> {
    if (signal.aborted || !isTidemarkError(error)) return error;
    const { message, details } = withoutPaths(error);
    const isLasting = error.code === 'invalid' || error.code === 'not-found' || error.code === 'forbidden';
    // Another attempt may have the run already.
    if (isOpenRun(record.run)) await record.update({ state: 'waiting', failure: message }).catch(() => {});
    return isLasting ? new TidemarkError('invalid', error.message, details, error) : error;
  }
}

function jobProgress({ step, attempted, done, total }: Progress): JobProgress {
  return { done, total, text: `${step}: ${attempted} records read` };
}
