import { hostname } from 'node:os';
import { setTimeout as wait } from 'node:timers/promises';
import { isTidemarkError, unlessConflict } from '../../core/errors.ts';
import { withoutPaths } from '../../core/without-paths.ts';
import { failpoint } from '../../lib/failpoint.ts';
import type { Catalog } from '../../stores/catalog.ts';
import type { JobProgress } from '../../stores/job.ts';
import { JobWaits } from '../../stores/job-waits.ts';
import type { OaiClient, OaiClientOptions } from '../arrivals/oai-harvest/oai-client.ts';
import { statusOf } from '../arrivals/upload-state.ts';
import type { Uploads } from '../arrivals/uploads.ts';
import type { UploadProcessor } from '../deliveries/upload-processor.ts';
import { settledAround } from './around-runs.ts';
import type { Collection } from './collection.ts';
import type { CollectionRegistry } from './collection-registry.ts';
import { firstLists } from './first-lists.ts';
import { type HarvestMessages, hasMessageToSend } from './harvest-messages.ts';
import { NOTHING_READ, outcomeOf } from './harvest-outcome.ts';
import { progressOf } from './harvest-progress.ts';
import { HarvestRecord, latestHarvests } from './harvest-record.ts';
import {
  type HarvestOutcome,
  type HarvestRequest,
  type HarvestRun,
  type HarvestStatus,
  type HarvestTrigger,
  harvestText,
  isOpenHarvest,
  type NamedHarvest,
} from './harvest-run.ts';
import { requested, requireNoneOpen, requireRequest } from './harvest-runs.ts';
import { isDeadHere } from './is-dead-here.ts';
import { harvestFields } from './reading-of.ts';
import { type ReceivingParts, receiveRun } from './receive-run.ts';

/** What a job runs: a run that was recorded before, or one that it records itself. */
export type HarvestOfJob =
  | NamedHarvest
  | { readonly collection: string; readonly number?: undefined; readonly kind: HarvestRun['kind'] };

interface RunnerParts extends ReceivingParts {
  readonly catalog: Pick<Catalog, 'get' | 'put' | 'latest'>;
  readonly collections: Pick<CollectionRegistry, 'get' | 'refresh'>;
  readonly uploads: Pick<Uploads, 'get' | 'record' | 'stateOf'>;
  readonly uploadProcessor: Pick<UploadProcessor, 'process'>;
  readonly messages: Pick<HarvestMessages, 'send' | 'urlOf'>;
  openClient(options: Pick<OaiClientOptions, 'onPause' | 'retriesUnanswered'>): OaiClient;
  /** Milliseconds without a heartbeat after which the process of a command counts as dead. */
  readonly leaseMs: number;
}

/** What a caller provides to an attempt. */
export interface HarvestAttempt {
  readonly signal: AbortSignal;
  report(progress: JobProgress): void;
  log(text: string): void;
  /** Called with the run as it is recorded, after each page. */
  onProgress?(run: HarvestRun): void;
}

const BEATS_OF_LEASE = 3;
/** Milliseconds after which the state of an upload is read again. */
const AGAIN_MS = 1_000;
/** Milliseconds after which a run checks whether those before it have ended. */
const TURN_MS = 2_000;
/** Runs among which that of a job is searched. */
const MOST_SEARCHED = 50;

/** Runs harvests, for jobs and for commands. Several attempts, even at the same time, harvest each page once. */
export class HarvestRunner {
  readonly #parts: RunnerParts;

  constructor(parts: RunnerParts) {
    this.#parts = parts;
  }

  /**
   * Makes an attempt of a job, and returns the run when it has ended, whatever its status.
   * @throws JobWaits until an earlier run of the collection has ended, and while its upload is processed; TidemarkError
   *   `conflict` when another attempt has begun meanwhile; what the stores throw
   */
  async run(work: HarvestOfJob, attempt: HarvestAttempt & { readonly name: string }): Promise<HarvestRun> {
    const record = await this.#recordOf(work, attempt.name);
    if (!isOpenHarvest(record.run)) return record.run;
    const { collection, number } = record.run;
    const earlier = await latestHarvests(this.#parts.catalog, collection, MOST_SEARCHED, number);
    const open = earlier.findLast(isOpenHarvest);
    if (open !== undefined) throw new JobWaits(`the run ${harvestText(open)} has to end first`, { againMs: TURN_MS });
    await this.#attempt(record, attempt, (run) => this.#requireProcessed(run));
    return record.run;
  }

  /**
   * Makes a run in this process, with its upload. One that was left by a command whose process was killed is continued.
   * @throws TidemarkError `conflict` when another run of the collection has not ended; `not-found`; `invalid`
   */
  async runHere(
    collection: string,
    request: HarvestRequest,
    attempt: HarvestAttempt,
    trigger: HarvestTrigger = { by: 'command' },
  ): Promise<HarvestRun> {
    const { catalog, leaseMs } = this.#parts;
    await this.#parts.collections.get(collection);
    await requireRequest(catalog, collection, request);
    const beat = { worker: `${hostname()}:${process.pid}`, leaseMs, beats: 0 };
    const left = await this.#leftRun(collection, request, attempt);
    const fresh = { ...requested(request), trigger, beat, state: 'running' as const };
    const record =
      left ?? (await HarvestRecord.add(catalog, collection, { runOf: () => fresh, admit: requireNoneOpen }));
    await record.claim({ beat });
    const beating = setInterval(() => this.#beat(record).catch(() => {}), leaseMs / BEATS_OF_LEASE).unref();
    try {
      await this.#attempt(record, attempt, (run) => this.#process(run, attempt));
      return record.run;
    } catch (error) {
      const failure = attempt.signal.aborted ? 'it was stopped' : messageOf(error);
      if (record.run.state === 'received') attempt.log(`${harvestText(record.run)} is complete: its upload goes on`);
      else if (isOpenHarvest(record.run)) await this.#end(record, { status: 4, failure }).catch(() => {});
      throw error;
    } finally {
      clearInterval(beating);
    }
  }

  /**
   * Records that a run has failed which no process ends; ignores one that has ended. One whose upload has its number
   * ends as that does, which has a job of its own: until then, this does nothing.
   */
  async fail(name: NamedHarvest, failure: string): Promise<void> {
    const record = await HarvestRecord.open(this.#parts.catalog, name);
    if (!isOpenHarvest(record.run)) return;
    const failed: Ending = { status: 4, failure };
    const ending = record.run.state === 'received' ? await this.#endingOf(record.run).catch(unlessMissing) : failed;
    if (ending !== undefined) await unlessConflict(this.#end(record, ending));
  }

  async #recordOf(work: HarvestOfJob, job: string): Promise<HarvestRecord> {
    const { catalog } = this.#parts;
    if (work.number !== undefined) return HarvestRecord.open(catalog, work);
    const { collection, kind } = work;
    const found = (await latestHarvests(catalog, collection, MOST_SEARCHED)).find((run) => run.job === job);
    if (found !== undefined) return HarvestRecord.open(catalog, found);
    const runOf = () => ({ kind, trigger: { by: 'schedule' as const }, state: 'waiting' as const, job });
    return HarvestRecord.add(catalog, collection, { runOf });
  }

  /** The run of a command that ended without recording that: the same request goes on with it, another one ends it. */
  async #leftRun(
    collection: string,
    { kind, of, force }: HarvestRequest,
    attempt: HarvestAttempt,
  ): Promise<HarvestRecord | undefined> {
    const { catalog } = this.#parts;
    const open = (await latestHarvests(catalog, collection, MOST_SEARCHED)).find(isOpenHarvest);
    if (open?.beat === undefined || open.job !== undefined) return undefined;
    const { beats, leaseMs, worker } = open.beat;
    if (!isDeadHere(worker)) await wait(leaseMs, undefined, { signal: attempt.signal });
    const record = await HarvestRecord.open(catalog, open);
    if (record.run.beat?.beats !== beats || record.run.beat.worker !== worker) return undefined;
    if (record.run.kind === kind && record.run.of === of && record.run.force === force) {
      attempt.log(`continues the run ${harvestText(open)}, whose process has ended`);
      return record;
    }
    if (record.run.state === 'received') {
      await record.claim({});
      await this.#attempt(record, attempt, (run) => this.#process(run, attempt));
    } else await this.#end(record, { status: 4, failure: 'its process ended before it was done' });
    return undefined;
  }

  async #attempt(
    record: HarvestRecord,
    attempt: HarvestAttempt,
    settle: (run: HarvestRun) => Promise<Ending>,
  ): Promise<void> {
    try {
      const known = await this.#parts.collections.get(record.run.collection);
      const collection = { ...known, sets: record.run.sets ?? known.sets };
      const ending = record.run.state === 'received' ? undefined : await this.#receive(record, collection, attempt);
      await this.#end(record, ending ?? (await settledAround(record, collection, { ...this.#parts, settle })));
    } catch (error) {
      attempt.signal.throwIfAborted();
      if (!isLasting(error)) throw error;
      await this.#end(record, { status: 4, failure: messageOf(error) });
    }
    // What cannot be sent now is sent by a job.
    if (!hasMessageToSend(record.run)) return;
    await this.#parts.messages.send(record.run, attempt.signal).catch(() => {});
    await record.reread();
  }

  /** Undefined when there is an upload to process. */
  async #receive(record: HarvestRecord, collection: Collection, attempt: HarvestAttempt): Promise<Ending | undefined> {
    const { baseUrl = collection.baseUrl, format = collection.format, started = Date.now() } = record.run;
    await record.claim({ state: 'running', started, baseUrl, format });
    const { kind } = record.run;
    const onPause = (reason: string, ms: number) => attempt.log(`${reason}: waits ${Math.ceil(ms / 1000)} s`);
    const client = this.#parts.openClient({ onPause, retriesUnanswered: kind !== 'check' });
    const onPage = (run: HarvestRun) => {
      attempt.report(progressOf(run));
      attempt.onProgress?.(run);
    };
    try {
      if (kind === 'test' || kind === 'check')
        return await this.#try(record, collection, { ...attempt, client, onPage });
      const upload = await receiveRun(record, collection, { client, signal: attempt.signal, onPage }, this.#parts);
      failpoint('harvest.received');
      if (upload === undefined) return { status: 2, outcome: { ...NOTHING_READ, ...NOTHING_CHANGED } };
      await record.update({ state: 'received', upload, resumable: undefined });
      return undefined;
    } finally {
      await client.close();
    }
  }

  async #try(
    record: HarvestRecord,
    known: Collection,
    { client, signal, onPage }: HarvestAttempt & { readonly client: OaiClient; onPage(run: HarvestRun): void },
  ): Promise<Ending> {
    const { catalog, collections, folder } = this.#parts;
    const { kind } = record.run;
    const collection =
      kind === 'check' ? { ...(await collections.refresh(known.id, signal)), sets: known.sets } : known;
    const { normalization } = harvestFields(collection, record.run);
    const { tryHarvest } = await import('./try-harvest.ts');
    const first = { kind, lists: await firstLists(catalog, collection, record.run) };
    let tried = first.lists;
    const given = { client, signal, folder, normalization };
    try {
      const outcome = await tryHarvest(collection, first, {
        ...given,
        onPage(lists, outcome) {
          tried = lists;
          onPage({ ...record.run, lists, outcome });
        },
      });
      return { status: outcome.errors + outcome.warnings > 0 ? 3 : 2, outcome };
    } finally {
      await record.update({ lists: tried });
    }
  }

  /** @throws JobWaits while its upload is processed, by the job of that */
  async #requireProcessed(run: HarvestRun): Promise<Ending> {
    const ending = await this.#endingOf(run);
    if (ending === undefined) throw new JobWaits('its records have to be processed', { againMs: AGAIN_MS });
    return ending;
  }

  /** Processes the upload of a run; another process may do so at the same time. */
  async #process(run: HarvestRun, { signal, report, log }: HarvestAttempt): Promise<Ending> {
    const { provider } = await this.#parts.collections.get(run.collection);
    const upload = await this.#parts.uploads.get(provider, run.collection, run.upload!);
    for (;;) {
      const ending = await this.#endingOf(run);
      if (ending !== undefined) return ending;
      try {
        await this.#parts.uploadProcessor.process(upload, { signal, isLast: true, report, log });
      } catch (error) {
        signal.throwIfAborted();
        if (!isTidemarkError(error)) throw error;
        // The reason is in the state of the upload, when it has failed for good.
        if ((await this.#endingOf(run)) === undefined) await wait(AGAIN_MS, undefined, { signal });
      }
    }
  }

  /** How the run ends by what became of its upload; undefined before that is known. */
  async #endingOf({ collection, upload: number }: HarvestRun): Promise<Ending | undefined> {
    const { uploads, collections } = this.#parts;
    const { provider } = await collections.get(collection);
    const state = await uploads.stateOf(await uploads.get(provider, collection, number!));
    const outcome = state?.read && outcomeOf(state.read, state.applied);
    const status = statusOf(state);
    if (status === 'failed') return { status: 4, failure: state!.failure!.error, ...(outcome && { outcome }) };
    if (status !== 'processed' || outcome === undefined) return undefined;
    return { status: outcome.errors + outcome.warnings > 0 ? 3 : 2, outcome };
  }

  async #end(record: HarvestRecord, ending: Ending): Promise<void> {
    const collection = await this.#parts.collections.get(record.run.collection).catch(() => undefined);
    const message = this.#parts.messages.urlOf(collection) === undefined ? {} : { message: { attempts: 0 } };
    await record.update({ state: 'ended', ended: Date.now(), beat: undefined, ...ending, ...message });
    failpoint('harvest.ended');
  }

  async #beat(record: HarvestRecord): Promise<void> {
    const { beat } = record.run;
    if (beat !== undefined) await record.update({ beat: { ...beat, beats: beat.beats + 1 } });
  }
}

interface Ending {
  readonly status: HarvestStatus;
  readonly failure?: string;
  readonly outcome?: HarvestOutcome;
}

const NOTHING_CHANGED = { created: 0, updated: 0, deleted: 0, unchanged: 0 };

/** What is wrong with a repository, or with the collection, stays wrong. */
function isLasting(error: unknown): boolean {
  return (['invalid', 'not-found', 'forbidden', 'gone'] as const).some((code) => isTidemarkError(error, code));
}

/** Of a collection that was removed. */
function unlessMissing(error: unknown): Ending {
  if (isTidemarkError(error, 'not-found')) return { status: 4, failure: messageOf(error) };
  throw error;
}

function messageOf(error: unknown): string {
  return isTidemarkError(error) ? withoutPaths(error).message : String(error);
}
