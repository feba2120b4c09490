import { setTimeout as wait } from 'node:timers/promises';
import type { ArtifactStore } from '../../../artifacts/artifact-store.ts';
import { parsePartKey } from '../../../artifacts/keys/upload-keys.ts';
import { isTidemarkError, TidemarkError } from '../../../core/errors.ts';
import { mapInOrder } from '../../../lib/calls/map-in-order.ts';
import { failpoint } from '../../../lib/failpoint.ts';
import type { Catalog } from '../../../stores/catalog.ts';
import { receivingStream } from '../../organization.ts';
import type { StreamName } from '../../stream-set-names.ts';
import { ensureReceiving, type ReceivingRegistry } from '../first-stream.ts';
import type { RecordingParts } from '../record-upload.ts';
import { randomId, storeFile } from '../store-file.ts';
import {
  harvestFieldsOf,
  MOST_FILES,
  requireFileName,
  requireUploadName,
  tooManyFiles,
  type UploadedFile,
} from '../upload.ts';
import { CutBody } from './cut-body.ts';
import { offsetOf, readParts, removeParts, type SentBytes, storedParts, storeParts } from './parts.ts';
import { recordResumable } from './record-resumable.ts';
import { isUnfinished, ResumableRegistry } from './resumable-registry.ts';
import {
  keptMsOf,
  type NewResumable,
  noSuchResumable,
  otherLength,
  otherOffset,
  type ResumableUpload,
  requireLengths,
} from './resumable-upload.ts';
import { removeStrayParts } from './stray-parts.ts';

/** Milliseconds to wait before responding: proxies time out on longer waits. */
const LONGEST_ANSWER_MS = 20_000;
/** Milliseconds after its last byte in which the process that received a complete file is probably still ending it. */
const BEING_ENDED_MS = 300_000;
/** Number of uploads whose parts are listed at the same time. */
const LISTED_AT_A_TIME = 8;

interface ResumableParts extends Pick<RecordingParts, 'onRecorded'> {
  readonly catalog: Pick<Catalog, 'get' | 'put' | 'list' | 'latest'>;
  readonly artifacts: Pick<ArtifactStore, 'put' | 'get' | 'delete' | 'list' | 'folders' | 'name'>;
  readonly organizations: ReceivingRegistry;
}

export interface ResumableStatus {
  readonly upload: ResumableUpload;
  /** Number of bytes that are durably stored. */
  readonly offset: number;
  /** Time at which it is removed if no more bytes come, in milliseconds since 1970. */
  readonly expires: number;
}

/**
 * Files that are sent in several requests, each of which continues where the last one broke off. Received bytes are
 * durable, as artifacts of at most 16 MB, and any server of the store may receive the next bytes. When all are stored,
 * they are copied into the files of an upload, and the upload is recorded.
 */
export class ResumableUploads {
  readonly #parts: ResumableParts;
  readonly #registry: ResumableRegistry;
  /** By id: requests of this process that end the same upload share this promise. */
  readonly #ending = new Map<string, Promise<ResumableUpload>>();

  constructor(parts: ResumableParts) {
    this.#parts = parts;
    this.#registry = new ResumableRegistry(parts.catalog);
  }

  /**
   * @throws TidemarkError `invalid`; `not-found`; `conflict` when the stream accepts no uploads, or too many are
   *   unfinished
   */
  async begin(organization: string, sent: NewResumable): Promise<ResumableStatus> {
    const { stream: named, name, by, files, length, metadata, set, keptMs } = sent;
    if (files.length > MOST_FILES) throw tooManyFiles('Upload-Metadata');
    for (const file of files) requireFileName(file.name);
    requireLengths(files, length);
    if (name !== undefined) requireUploadName(name);
    const stream = await this.#streamOf(organization, { named, set });
    const labels = {
      organization,
      stream,
      ...(name && { name }),
      files,
      ...(metadata && { metadata }),
      ...(by !== undefined && { by }),
    };
    const known = { ...(length !== undefined && { length }), ...(keptMs !== undefined && { keptMs }) };
    const upload: ResumableUpload = {
      ...{ id: randomId(), ...labels, ...known, ...harvestFieldsOf(sent) },
      created: Date.now(),
    };
    await this.#registry.add(upload);
    failpoint('resumable.begun');
    const current = length === 0 ? await this.#endSoon(upload) : upload;
    return { upload: current, offset: 0, expires: Date.now() + keptMsOf(upload) };
  }

  /** Made now, if it is the first one: when the last byte has come, nothing may be refused. */
  async #streamOf(
    organization: string,
    { named, set }: { readonly named: string | undefined; readonly set: string | undefined },
  ): Promise<string> {
    const { organizations } = this.#parts;
    if (set === undefined) return ensureReceiving(organizations, organization, named);
    return receivingStream(await organizations.get(organization), named, set);
  }

  /** The resumable uploads of users that are not an upload yet, in the order of their creation. */
  async unfinished(organization: string): Promise<readonly ResumableStatus[]> {
    const uploads = (await this.#registry.of(organization)).filter(isUnfinished);
    const listed: ResumableStatus[] = [];
    const statuses = mapInOrder(uploads, LISTED_AT_A_TIME, (upload) => this.#progress(upload));
    for await (const status of statuses) listed.push(status);
    return listed;
  }

  /**
   * The progress of a resumable upload. When all bytes are stored but a killed process has not ended it, this ends it.
   * @throws TidemarkError `not-found`; as `receive` of the last bytes
   */
  async status(organization: string, id: string): Promise<ResumableStatus> {
    const status = await this.#progress(await this.#registry.get(organization, id));
    return isWhole(status) ? { ...status, upload: await this.#endSoon(status.upload) } : status;
  }

  /**
   * Stores the next bytes. After the last one, the file is an upload with its number.
   * @param sent its `offset` must be the end of the stored bytes; its `length` is that of an upload that was begun
   *   without one
   * @throws TidemarkError `not-found`; `conflict` for another offset or length, or when the stream no longer accepts
   *   uploads; `invalid` for too many bytes; what the body throws, after the bytes before the error were stored
   */
  async receive(
    organization: string,
    id: string,
    { length, ...sent }: SentBytes & { readonly length?: number | undefined },
  ): Promise<ResumableStatus> {
    const { artifacts } = this.#parts;
    const begun = await this.#registry.get(organization, id);
    const stored = begun.done === undefined ? offsetOf(await storedParts(artifacts, begun)) : begun.length!;
    if (sent.offset !== stored) throw otherOffset(sent.offset, stored);
    const upload = length === undefined ? begun : await this.#withLength(begun, { length, stored });
    // When all bytes are stored, storeParts only refuses further ones.
    const isAll = stored === upload.length;
    const after = isAll
      ? { upload, offset: await storeParts(artifacts, upload, sent) }
      : await this.#store(upload, sent);
    const status = { ...after, expires: Date.now() + keptMsOf(upload) };
    return isWhole(status) ? { ...status, upload: await this.#endSoon(status.upload) } : status;
  }

  /**
   * Stores the next bytes of an upload that one caller alone fills, as a harvest does, which knows where they begin:
   * unlike `receive`, it does not list what is stored. Returns the offset after them. `receive` without bytes, but with
   * the length, ends the upload.
   * @throws TidemarkError `conflict` when bytes from this offset on are stored already, as by a caller that was killed
   *   since: `status` has the offset
   */
  append({ organization, id }: Pick<ResumableUpload, 'organization' | 'id'>, sent: SentBytes): Promise<number> {
    return storeParts(this.#parts.artifacts, { organization, id, length: undefined }, sent);
  }

  /**
   * Removes the parts from an offset on: the caller was killed before it recorded them.
   * @throws TidemarkError `not-found`
   */
  async truncate({ organization, id }: Pick<ResumableUpload, 'organization' | 'id'>, offset: number): Promise<void> {
    const { artifacts } = this.#parts;
    const parts = await storedParts(artifacts, await this.#registry.get(organization, id));
    for (const { key } of parts) if (parsePartKey(key)!.offset >= offset) await artifacts.delete(key);
  }

  /** Records the length of an upload, unless it has one. @throws TidemarkError `conflict` when it has another */
  async #withLength(
    upload: ResumableUpload,
    { length, stored }: { readonly length: number; readonly stored: number },
  ): Promise<ResumableUpload> {
    const files = [{ name: upload.files[0]!.name, length }];
    const isNew = upload.length === undefined && length >= stored;
    if (isNew) requireLengths(files, length);
    const known = isNew ? await this.#registry.change(upload, { length, files }) : upload;
    if (known.length !== length) throw otherLength(length, known.length ?? stored);
    return known;
  }

  /** Stores the bytes of a request, and returns the upload as it is then. */
  async #store(upload: ResumableUpload, sent: SentBytes): Promise<Pick<ResumableStatus, 'upload' | 'offset'>> {
    const [stored] = await Promise.allSettled([storeParts(this.#parts.artifacts, upload, sent)]);
    const current = await this.#afterStoring(upload);
    if (stored.status === 'rejected') throw stored.reason;
    return { upload: current, offset: current.done === undefined ? stored.value : current.length! };
  }

  /**
   * The upload as it is now. If another request has ended or removed it meanwhile, its parts were removed, and those of
   * this request were stored afterwards: nothing uses them.
   * @throws TidemarkError `not-found`
   */
  async #afterStoring({ organization, id, length }: ResumableUpload): Promise<ResumableUpload> {
    const current = (await this.#registry.of(organization)).find((upload) => upload.id === id);
    const isLeft = current === undefined || current.done !== undefined;
    if (isLeft) await removeParts(this.#parts.artifacts, { organization, id, length });
    if (current === undefined) throw noSuchResumable(id);
    return current;
  }

  /** Removes a resumable upload. An upload that was made of it stays. @throws TidemarkError `not-found` */
  async remove(organization: string, id: string): Promise<void> {
    await this.#removeWhole(await this.#registry.get(organization, id));
  }

  /** Removes all of a stream, with their bytes; without a stream, of an organization. */
  async removeAll({ organization, stream }: StreamName): Promise<void> {
    for (const upload of await this.#registry.of(organization)) {
      if (stream === undefined || upload.stream === stream) await this.#removeWhole(upload);
    }
  }

  async #removeWhole(upload: ResumableUpload): Promise<void> {
    await removeParts(this.#parts.artifacts, upload);
    await this.#registry.remove(upload);
  }

  /**
   * Ends the uploads that a killed process has left complete, and removes those that had no byte for a day, and
   * leftover parts. Returns how many were ended and removed. @throws the first error, after all others were cleaned up
   */
  async cleanUp(signal: AbortSignal, now = Date.now()): Promise<{ readonly ended: number; readonly removed: number }> {
    const counts = { ended: 0, removed: 0 };
    const failures: unknown[] = [];
    for (const upload of await this.#registry.all()) {
      signal.throwIfAborted();
      const status = await this.#progress(upload);
      const done = await this.#cleanUpOne(status, now).catch((error: unknown) => {
        failures.push(error);
        return undefined;
      });
      if (done !== undefined) counts[done] += 1;
    }
    const known = new Set((await this.#registry.all()).map(({ id }) => id));
    counts.removed += await removeStrayParts(this.#parts.artifacts, known, now);
    if (failures.length > 0) throw failures[0];
    return counts;
  }

  /** A complete one is ended also after a day, in which no server may have run: all of it was acknowledged. */
  async #cleanUpOne(
    { upload, offset, expires }: ResumableStatus,
    now: number,
  ): Promise<'ended' | 'removed' | undefined> {
    const isLeft = isWhole({ upload, offset }) && expires - keptMsOf(upload) < now - BEING_ENDED_MS;
    if (isLeft && (await this.#end(upload).then(() => true, unlessRefused))) return 'ended';
    if (expires > now) return undefined;
    await this.remove(upload.organization, upload.id);
    return 'removed';
  }

  async #progress(upload: ResumableUpload): Promise<ResumableStatus> {
    const keptMs = keptMsOf(upload);
    if (upload.done !== undefined) return { upload, offset: upload.length!, expires: upload.done.at + keptMs };
    const parts = await storedParts(this.#parts.artifacts, upload);
    const last = parts.reduce((last, { modified }) => Math.max(last, modified), upload.created);
    return { upload, offset: offsetOf(parts), expires: last + keptMs };
  }

  /**
   * Ends an upload, but waits only for a limited time: a large file takes minutes, and proxies time out before that.
   */
  #endSoon(upload: ResumableUpload): Promise<ResumableUpload> {
    const ending = this.#end(upload);
    // The next request, or `cleanUp`, gets the error again.
    ending.catch(() => {});
    return Promise.race([ending, wait(LONGEST_ANSWER_MS, upload, { ref: false })]);
  }

  #end(upload: ResumableUpload): Promise<ResumableUpload> {
    const ending = this.#ending.get(upload.id) ?? this.#endOnce(upload).finally(() => this.#ending.delete(upload.id));
    this.#ending.set(upload.id, ending);
    return ending;
  }

  async #endOnce({ organization, id }: ResumableUpload): Promise<ResumableUpload> {
    const { artifacts, organizations } = this.#parts;
    const upload = await this.#registry.get(organization, id);
    if (upload.done !== undefined) return upload;
    failpoint('resumable.whole');
    receivingStream(await organizations.get(organization), upload.stream, upload.set);
    const files = await this.#assembled(upload);
    failpoint('resumable.assembled');
    const recorded = await recordResumable({ ...this.#parts, registry: this.#registry }, upload, files);
    // Another process was faster.
    if (recorded.files[0]?.artifact !== files[0]!.artifact) await this.#remove(files);
    failpoint('resumable.recorded');
    const done = { number: recorded.number, at: recorded.received };
    const ended = await this.#registry.change(upload, { done });
    failpoint('resumable.ended');
    await removeParts(artifacts, upload);
    return ended;
  }

  /** @throws TidemarkError `unavailable` when a part is missing, which another process may have removed */
  async #assembled(upload: ResumableUpload): Promise<readonly UploadedFile[]> {
    const { artifacts } = this.#parts;
    const { organization, length } = upload;
    const bytes = readParts(artifacts, await storedParts(artifacts, upload));
    const cut = new CutBody(bytes, length!);
    const files: UploadedFile[] = [];
    try {
      for (const { name, length = 0 } of upload.files) {
        const file = await storeFile(name, cut.next(length), { artifacts, organization });
        files.push(file);
        cut.requireWhole();
        if (file.length < length) throw incomplete(file, length);
      }
      return files;
    } catch (error) {
      await this.#remove(files);
      throw error;
    } finally {
      await bytes.return(undefined);
    }
  }

  async #remove(files: readonly UploadedFile[]): Promise<void> {
    for (const { artifact } of files) await this.#parts.artifacts.delete(artifact);
  }
}

function isWhole({ upload, offset }: Pick<ResumableStatus, 'upload' | 'offset'>): boolean {
  return upload.done === undefined && offset === upload.length;
}

/** Ignores that the stream was archived meanwhile: the file is then kept as long as others. */
function unlessRefused(error: unknown): false {
  if (isTidemarkError(error, 'conflict') || isTidemarkError(error, 'not-found')) return false;
  throw error;
}

function incomplete(file: UploadedFile, length: number): TidemarkError {
  const message = `${file.length} of ${length} bytes of ${file.name} are stored: try again`;
  return new TidemarkError('unavailable', message);
}
