import type { ArtifactStore, ObjectKey } from '../../artifacts/artifact-store.ts';
import { unlessNotFound } from '../../core/errors.ts';
import type { ResourceSet } from '../../core/resource-set.ts';
import { failpoint } from '../../lib/failpoint.ts';
import type { SetRegistry } from '../../sets/set-registry.ts';
import type { Catalog } from '../../stores/catalog.ts';
import type { EventPoster } from '../../stores/event-poster.ts';
import { JobWaits } from '../../stores/job-waits.ts';
import { latestPages } from '../../stores/latest-pages.ts';
import { uploadsAbove } from '../again/earlier-uploads.ts';
import { removedBy } from '../again/mark-removed.ts';
import type { StaleRecords } from '../again/plan-reading.ts';
import { uploadAt } from '../arrivals/record-upload.ts';
import { type NamedUpload, type Upload, uploadsOf } from '../arrivals/upload.ts';
import { isPartlyApplied, readUploadState, storedFilesOf } from '../arrivals/upload-state.ts';
import type { StreamName } from '../stream-set-names.ts';
import { applyDelivery } from './apply-delivery.ts';
import type { Attempt } from './attempt.ts';
import { deliveryOf } from './delivery.ts';
import type { ProcessingThread } from './processing-thread.ts';

interface RemovalsParts {
  readonly catalog: Pick<Catalog, 'get' | 'latest'>;
  readonly artifacts: Pick<ArtifactStore, 'delete'>;
  readonly sets: Pick<SetRegistry, 'bySlug'>;
  readonly updater: EventPoster;
  /** Compares the set of an organization with its default stream, whatever is recorded of it. */
  syncAnew(set: ResourceSet): Promise<unknown>;
  /** Removes the packages of the Resource Dump and the Change Dump of a set, and has others made, if it has any. */
  replacePackages(set: ResourceSet): Promise<unknown>;
  /** Has dumps of a stream made in place of those that have records of the removed upload, if there are any. */
  replaceDumps(name: StreamName): Promise<unknown>;
}

interface RemovalToEnd {
  /** The set of the stream's records. */
  readonly set: ResourceSet;
  /** The artifacts that are to be deleted. */
  readonly stale: readonly StaleRecords[];
  readonly thread: ProcessingThread;
}

/** Uploads of a page. */
const PAGE = 50;

/**
 * What follows when all events of a delivery that removes an upload are committed: nothing refers to the bytes of the
 * upload any more, and they are deleted. Each step may run twice. Only then the delivery is applied, so that it is
 * tried until all of this was done.
 */
export class Removals {
  readonly #parts: RemovalsParts;

  constructor(parts: RemovalsParts) {
    this.#parts = parts;
  }

  /** @throws JobWaits while a later upload is being applied; as the stores */
  async end(delivery: Upload, { set, stale, thread }: RemovalToEnd, attempt: Attempt): Promise<void> {
    const { organization, stream } = delivery;
    if (stale.length > 0) {
      await this.#applyLaterAgain(delivery, { set, thread }, attempt);
      failpoint('removal.posted');
      const own = await unlessNotFound(this.#parts.sets.bySlug(organization));
      if (own !== undefined) await this.#parts.syncAnew(own);
      for (const one of own === undefined ? [set] : [set, own]) await this.#parts.replacePackages(one);
    }
    failpoint('removal.synced');
    for (const { records, errata } of stale) {
      await this.#parts.artifacts.delete(records);
      if (errata !== undefined) await this.#parts.artifacts.delete(errata);
    }
    await this.#deleteUpload(removedBy(delivery)!, delivery.number);
    failpoint('removal.deleted');
    if (stale.length === 0) return;
    for (const name of [{ organization, stream }, { organization }]) await this.#parts.replaceDumps(name);
  }

  /**
   * Uploads of higher numbers that began to be applied before the upload was marked may have found records stored with
   * it, and have left them there. What they say is compared again: then these records are stored with them.
   */
  async #applyLaterAgain(
    delivery: Upload,
    { set, thread }: Omit<RemovalToEnd, 'stale'>,
    attempt: Attempt,
  ): Promise<void> {
    for await (const { upload, state } of uploadsAbove(this.#parts.catalog, delivery)) {
      if (state?.applying === undefined || state.read === undefined || upload.readsAgain !== undefined) continue;
      if (isPartlyApplied(state)) throw new JobWaits(`the upload ${upload.number} is being applied`);
      const toApply = { delivery: { ...deliveryOf(upload), unmentioned: 'kept' as const }, set, read: state.read };
      await applyDelivery({ ...toApply, after: state.applying.after }, { ...this.#parts, thread }, attempt);
    }
  }

  /** Deletes the bytes of the upload, also of one that was not published, but for files that another upload names. */
  async #deleteUpload(removed: NamedUpload, delivery: number): Promise<void> {
    const { catalog, artifacts } = this.#parts;
    const upload = await uploadAt(catalog, removed);
    const state = (await readUploadState(catalog, removed))?.body;
    // Of two removals of one upload, the first one counts.
    if (upload === undefined || state?.removed?.delivery !== delivery) return;
    const { errata } = state.removed;
    const { records } = state.read ?? {};
    const others = await this.#filesOfOthers(removed);
    const files = storedFilesOf(upload, state).map(({ artifact }) => artifact);
    for (const key of [...files.filter((key) => !others.has(key)), records, errata]) {
      if (key !== undefined) await artifacts.delete(key);
    }
  }

  /** The files of this upload that another one names, which was not removed. */
  async #filesOfOthers(removed: NamedUpload): Promise<ReadonlySet<ObjectKey>> {
    const { catalog } = this.#parts;
    const own = new Set((await uploadAt(catalog, removed))?.files.map(({ artifact }) => artifact));
    const others = new Set<ObjectKey>();
    if (own.size === 0) return others;
    const prefix = uploadsOf(removed.organization, removed.stream);
    for await (const { documents } of latestPages<Upload>(catalog, { kind: 'upload', prefix, limit: PAGE })) {
      for (const { body } of documents) {
        const named = body.number === removed.number ? [] : body.files.filter(({ artifact }) => own.has(artifact));
        if (named.length === 0 || (await this.#isRemoved(body))) continue;
        for (const { artifact } of named) others.add(artifact);
      }
    }
    return others;
  }

  async #isRemoved(upload: Upload): Promise<boolean> {
    return (await readUploadState(this.#parts.catalog, upload))?.body.removed !== undefined;
  }
}
