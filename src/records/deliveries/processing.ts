import type { ArtifactStore, ObjectKey } from '../../artifacts/artifact-store.ts';
import { isStoreAway } from '../../artifacts/is-store-away.ts';
import { isScratchFull, isTidemarkError, TidemarkError } from '../../core/errors.ts';
import type { ResourceSet } from '../../core/resource-set.ts';
import { shownWithUrls } from '../../core/without-paths.ts';
import { failpoint } from '../../lib/failpoint.ts';
import type { SetRegistry } from '../../sets/set-registry.ts';
import type { Catalog } from '../../stores/catalog.ts';
import type { ChangeLog } from '../../stores/change-log.ts';
import type { EventPoster } from '../../stores/event-poster.ts';
import { JobWaits } from '../../stores/job-waits.ts';
import { markRemoved, removedBy } from '../again/mark-removed.ts';
import { planReading, type ReadingPlan } from '../again/plan-reading.ts';
import { type Upload, type UploadedFile, uploadId } from '../arrivals/upload.ts';
import type { UploadPauses } from '../arrivals/upload-pause.ts';
import {
  type AppliedUpload,
  type CountedDrop,
  type FetchAgain,
  filesOf,
  type ReadUpload,
  type UploadState,
} from '../arrivals/upload-state.ts';
import type { DropLimits } from '../drop.ts';
import type { OrganizationRegistry } from '../organization-registry.ts';
import { applyDelivery } from './apply-delivery.ts';
import type { Attempt, FetchOptions } from './attempt.ts';
import { type Delivery, deliveryOf } from './delivery.ts';
import { FETCHED_AGAIN, fetchAgain, waitMs } from './fetch-again.ts';
import { judgeFullRun, reasonForNoRecords, reasonForStop } from './full-run.ts';
import { haveLowerEnded } from './lower-uploads.ts';
import { reasonForNothingTaken } from './nothing-taken.ts';
import type { ProcessThreadData } from './process.worker.ts';
import type { ProcessingThread } from './processing-thread.ts';
import type { ReadingProgress } from './read-upload.ts';
import { RecordedSteps } from './recorded-steps.ts';
import type { Removals } from './removals.ts';

export interface ProcessorParts {
  readonly catalog: Pick<Catalog, 'get' | 'put' | 'latest'>;
  readonly index: Pick<ChangeLog, 'committed'>;
  readonly sets: Pick<SetRegistry, 'bySlug'>;
  readonly organizations: Pick<OrganizationRegistry, 'get'>;
  readonly artifacts: Pick<ArtifactStore, 'get' | 'delete' | 'folders'>;
  readonly updater: EventPoster;
  /** Milliseconds for which a file at a URL is fetched again: see fetch-again.ts. */
  readonly fetchRetryMs: number;
  /** For what full runs delete. */
  readonly dropLimits: DropLimits;
  readonly threadData: ProcessThreadData;
  /** What follows when a removal was applied: see Removals. */
  readonly removals: Pick<Removals, 'end'>;
  /** Fetches and stores the file of an upload by URL. */
  fetch(upload: Upload, options: FetchOptions): Promise<readonly UploadedFile[]>;
}

/** Why an upload is not applied yet: a sentence, and the same for its job. */
export const BLOCKS = {
  dump: { text: 'waits until a dump of the stream has begun', reason: 'a dump of its stream has to begin' },
  lower: { text: 'waits for uploads before it', reason: 'the uploads before it have to end' },
} as const;
type Block = keyof typeof BLOCKS;
const STORE_AWAY = 'the artifact store is unavailable for now, and the upload waits for it';

interface ProcessingParts extends ProcessorParts {
  readonly pauses: Pick<UploadPauses, 'isOn'>;
}

/** One attempt to process an upload. */
export class Processing {
  readonly #parts: ProcessingParts;
  readonly #upload: Upload;
  readonly #delivery: Delivery;
  readonly #attempt: Attempt;
  readonly #steps: RecordedSteps;
  #drop: CountedDrop | undefined;
  /** Of a delivery that reads again. */
  #plan: ReadingPlan | undefined;

  constructor(parts: ProcessingParts, upload: Upload, attempt: Attempt) {
    this.#parts = parts;
    this.#upload = upload;
    this.#delivery = deliveryOf(upload);
    this.#attempt = attempt;
    this.#steps = new RecordedSteps(parts, upload, attempt);
  }

  /** Fetches and stores the file of an upload by URL, unless that was done. @throws every error of fetching */
  async fetch(): Promise<void> {
    await this.#steps.read();
    const isNeeded = this.#upload.url !== undefined && (this.#body.fetched === undefined || isToFetchAgain(this.#body));
    if (!isNeeded) return;
    const again = this.#fetchAgain;
    if (again !== undefined && again.nextAt > Date.now()) throw waitsToFetch(again, this.#parts.fetchRetryMs);
    await this.#recordingFailure(() => this.#fetch());
  }

  /** What the last failure has recorded. A user who retries the upload, or its job, does not want to wait. */
  get #fetchAgain(): FetchAgain | undefined {
    return this.#attempt.wait?.reason === FETCHED_AGAIN ? this.#body.failure?.fetchAgain : undefined;
  }

  /** Returns why it has to be called again later: nothing of the upload is published yet. */
  async run(thread: ProcessingThread): Promise<AppliedUpload | Block> {
    const { applied } = this.#body;
    if (applied !== undefined) return applied;
    if (this.#upload.readsAgain !== undefined && !(await this.#beginAgain())) return 'lower';
    const { set, read } = await this.#recordingFailure(() => this.#prepare(thread));
    const block = this.#body.applying === undefined ? await this.#beforeApplying(set, read, thread) : undefined;
    if (block !== undefined) return block;
    try {
      return await this.#apply(set, read, thread);
    } catch (error) {
      this.#attempt.signal.throwIfAborted();
      throw toBeContinued(this.#upload, error);
    }
  }

  /** @throws TidemarkError `invalid` when nothing of it may be published */
  async #beforeApplying(set: ResourceSet, read: ReadUpload, thread: ProcessingThread): Promise<Block | undefined> {
    const { catalog, pauses } = this.#parts;
    await this.#requireTaken(read);
    const isFull = this.#delivery.unmentioned === 'deleted';
    if (isFull && !(await haveLowerEnded(catalog, this.#upload))) return 'lower';
    await this.#recordingFailure(() => this.#requireSmallDrop(set, read, thread));
    return (await pauses.isOn(this.#upload)) ? 'dump' : undefined;
  }

  /** Returns whether all uploads that are read again have ended, and the removed one is marked. */
  async #beginAgain(): Promise<boolean> {
    const { catalog } = this.#parts;
    const removed = removedBy(this.#upload);
    const mark = async () => removed === undefined || (await markRemoved(catalog, this.#upload))?.removed !== undefined;
    // At first, so that it is not applied; and again when it was being applied.
    await mark();
    if (!(await haveLowerEnded(catalog, this.#upload)) || !(await mark())) return false;
    failpoint('removal.marked');
    this.#plan ??= await planReading(this.#parts, this.#upload);
    return true;
  }

  async #requireSmallDrop(set: ResourceSet, read: ReadUpload, thread: ProcessingThread): Promise<void> {
    const { dropLimits } = this.#parts;
    this.#drop ??= await judgeFullRun({ delivery: this.#delivery, set, read }, { thread, dropLimits }, this.#attempt);
    if (this.#drop?.verdict === 'stop') {
      const isHarvest = this.#upload.set !== undefined;
      throw new TidemarkError('invalid', reasonForStop(this.#drop, dropLimits, isHarvest));
    }
  }

  get #body(): UploadState {
    return this.#steps.body;
  }

  /** Records the failure of work that may fail because of the upload. @throws the error */
  async #recordingFailure<Result>(work: () => Promise<Result>): Promise<Result> {
    try {
      return await work();
    } catch (error) {
      this.#attempt.signal.throwIfAborted();
      // Its failure is recorded.
      if (error instanceof JobWaits) throw error;
      if (await isStoreAway(error, this.#parts.artifacts)) await this.#recordFailure(STORE_AWAY, false);
      else {
        const text = isTidemarkError(error) ? shownWithUrls(error).message : String(error);
        const isFinal = this.#attempt.isLast && !isScratchFull(error);
        await this.#recordFailure(text, isFinal || isTidemarkError(error, 'invalid'));
      }
      throw error;
    }
  }

  async #prepare(thread: ProcessingThread): Promise<{ readonly set: ResourceSet; readonly read: ReadUpload }> {
    const set = await this.#parts.sets.bySlug(this.#delivery.set);
    const { read: known, applying } = this.#body;
    // A later version may read what an earlier one did not.
    const isKnown = known !== undefined && (applying !== undefined || this.#reasonForNothingTaken(known) === undefined);
    const read = isKnown ? known : await this.#read(set, thread);
    return { set, read };
  }

  /** @throws TidemarkError `invalid`, without the reason: the log of the server names no files of uploads */
  async #requireTaken(read: ReadUpload): Promise<void> {
    const reason = this.#reasonForNothingTaken(read) ?? reasonForNoRecords(this.#delivery, read.totals);
    if (reason === undefined) return;
    await this.#recordFailure(reason, true);
    const { organization, stream, number } = this.#upload;
    const upload = uploadId(organization, stream, number);
    throw new TidemarkError('invalid', `nothing was taken of the upload ${upload}: its state says why`, { upload });
  }

  async #fetch(): Promise<void> {
    const { signal, report } = this.#attempt;
    const onProgress = (bytes: number) => report({ done: bytes, text: 'bytes fetched' });
    const fetched = await this.#parts
      .fetch(this.#upload, { signal, onProgress })
      .catch((error) => this.#failedFetch(error));
    failpoint('upload.fetched');
    const isMissing = (before: UploadState) => before.fetched === undefined || isToFetchAgain(before);
    await this.#steps.recordMade('fetched', fetched, { isMissing, artifactsOf });
  }

  /** @throws JobWaits when it is fetched again; otherwise the error */
  async #failedFetch(error: unknown): Promise<never> {
    this.#attempt.signal.throwIfAborted();
    if (await isStoreAway(error, this.#parts.artifacts)) throw error;
    const { fetchRetryMs: retryMs } = this.#parts;
    const again = fetchAgain({ error, before: this.#fetchAgain, now: Date.now(), retryMs });
    if (again === undefined) throw isTidemarkError(error, 'unavailable') ? asFinal(error) : error;
    await this.#recordFailure(shownWithUrls(error as TidemarkError).message, false, again);
    throw waitsToFetch(again, retryMs);
  }

  async #read({ publishHashes }: ResourceSet, thread: ProcessingThread): Promise<ReadUpload> {
    const { organization, stream, number } = this.#upload;
    const files = filesOf(this.#upload, this.#body);
    const { normalization: ofOrganization } = await this.#parts.organizations.get(organization);
    const { normalization = ofOrganization } = this.#upload;
    const onProgress = ({ bytes, ofBytes, records }: ReadingProgress) =>
      this.#attempt.report({ done: bytes, total: ofBytes, text: `bytes read, ${records} records` });
    const { signal } = this.#attempt;
    const { limits } = this.#delivery;
    const isHarvest = this.#upload.set !== undefined;
    const again = this.#plan;
    const toRead = { organization, stream, number, files, again, normalization, publishHashes, limits, isHarvest };
    const read = await thread.read(toRead, signal, onProgress);
    failpoint('upload.read');
    const isMissing = ({ read }: UploadState) => read === undefined || this.#reasonForNothingTaken(read) !== undefined;
    const recorded = await this.#steps.recordMade('read', read, { isMissing, artifactsOf: artifactsOfRead });
    const { records, deletions, errors } = recorded.totals;
    // The run of a harvest says so itself.
    if (!isHarvest) this.#attempt.log(`read ${records} records, ${deletions} deletions and ${errors} errors`);
    return recorded;
  }

  async #apply(set: ResourceSet, read: ReadUpload, thread: ProcessingThread): Promise<AppliedUpload> {
    const { after } = this.#body.applying ?? (await this.#beginApplying());
    failpoint('upload.applying');
    const errataAt = await this.#parts.index.committed();
    const toApply = { delivery: this.#delivery, set, read, after };
    const totals = await applyDelivery(toApply, { ...this.#parts, thread }, this.#attempt);
    failpoint('upload.applied');
    if (this.#plan?.stale !== undefined) {
      await this.#parts.removals.end(this.#upload, { set, stale: this.#plan.stale, thread }, this.#attempt);
    }
    const applied = { at: Date.now(), ...(this.#plan === undefined ? totals : withoutReplaced(totals)) };
    return (await this.#steps.record((before) => before.applied === undefined && { applied, errataAt })).applied!;
  }

  async #beginApplying(): Promise<NonNullable<UploadState['applying']>> {
    const after = await this.#parts.index.committed();
    failpoint('upload.beginning');
    const begun = { applying: { after }, ...(this.#drop !== undefined && { drop: this.#drop }) };
    return (await this.#steps.record((before) => before.applying === undefined && begun)).applying!;
  }

  #reasonForNothingTaken(read: ReadUpload): string | undefined {
    return this.#upload.readsAgain === undefined ? reasonForNothingTaken(read) : undefined;
  }

  /** Records the failure for users. This fails silently when the store itself is in trouble. */
  async #recordFailure(error: string, isFinal: boolean, again?: FetchAgain): Promise<void> {
    const failure = { at: Date.now(), error, isFinal, ...(again !== undefined && { fetchAgain: again }) };
    const failed = { failure, ...(this.#drop !== undefined && { drop: this.#drop }) };
    const isDone = ({ applying }: UploadState) => applying !== undefined;
    await this.#steps.record((before) => !isDone(before) && failed).catch(() => {});
  }
}

function waitsToFetch(again: FetchAgain, retryMs: number): JobWaits {
  return new JobWaits(FETCHED_AGAIN, { againMs: waitMs(again, Date.now()), until: again.since + retryMs });
}

/** After the last attempt, the upload has failed: its job does not try again. */
function asFinal({ message, details }: TidemarkError): TidemarkError {
  return new TidemarkError('invalid', message, details);
}

/** What was fetched is of no use, and what is at the URL may be another file now. */
const isToFetchAgain = ({ read, applying }: UploadState): boolean =>
  read !== undefined && applying === undefined && reasonForNothingTaken(read) !== undefined;

/** That one upload replaces the records of another one says nothing of its own. */
function withoutReplaced({ replaced: _, replacedInFiles: __, ...totals }: Omit<AppliedUpload, 'at'>) {
  return totals;
}

const artifactsOf = (files: readonly UploadedFile[]): readonly ObjectKey[] => files.map(({ artifact }) => artifact);

const artifactsOfRead = ({ records, errata }: ReadUpload): readonly ObjectKey[] =>
  [records, errata].filter((key) => key !== undefined);

function toBeContinued({ organization, stream, number }: Upload, error: unknown): TidemarkError {
  const upload = uploadId(organization, stream, number);
  const reason = error instanceof Error ? error.message : String(error);
  const message = `the upload ${upload} is applied in part, and will be continued: ${reason}`;
  return new TidemarkError('conflict', message, { upload }, error);
}
