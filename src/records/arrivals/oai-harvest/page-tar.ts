import { setTimeout as wait } from 'node:timers/promises';
import { isTidemarkError, TidemarkError } from '../../../core/errors.ts';
import type { ScratchFile } from '../../packages/scratch-file.ts';
import type { ResumableUploads } from '../resumable/resumable-uploads.ts';
import type { HarvestFields, Sender } from '../upload.ts';

// POSIX.1-2017, pax, "ustar Interchange Format".

/** How far a tar of pages has come: what its run records, before the next page is requested. */
export interface ReceivedPages {
  /** The unfinished resumable upload. */
  readonly id: string;
  readonly pages: number;
  /** Bytes up to the end of the last page that counts. */
  readonly offset: number;
}

interface TarOwner {
  readonly organization: string;
  readonly stream: string;
  readonly fields: HarvestFields & { readonly by: Sender };
  /** The name of the file. */
  readonly name: string;
}

type Uploads = Pick<ResumableUploads, 'begin' | 'append' | 'truncate' | 'status' | 'receive'>;

const BLOCK_BYTES = 512;
/** Two blocks of zeros end a tar. */
const TRAILER = Buffer.alloc(2 * BLOCK_BYTES);
/** The bytes of a run that has failed are kept for a week; so are those between two pages. */
const KEPT_MS = 7 * 86_400_000;
const POLL_MS = 1_000;
/** Digits of the number of a page in its name. */
const DIGITS = 6;

/** Answers as they came, packed, as members of one tar in an unfinished resumable upload. */
export class PageTar {
  readonly #uploads: Uploads;
  readonly #organization: string;
  #received: ReceivedPages;

  private constructor(uploads: Uploads, organization: string, received: ReceivedPages) {
    this.#uploads = uploads;
    this.#organization = organization;
    this.#received = received;
  }

  /** @throws TidemarkError as `ResumableUploads.begin` */
  static async begin(uploads: Uploads, { organization, stream, fields, name }: TarOwner): Promise<PageTar> {
    const begun = { ...fields, stream, files: [{ name }], keptMs: KEPT_MS };
    const { upload } = await uploads.begin(organization, begun);
    return new PageTar(uploads, organization, { id: upload.id, pages: 0, offset: 0 });
  }

  /**
   * Goes on with a tar. What an attempt has stored behind its last recorded page is removed. Call this only when that
   * attempt can record no more.
   * @returns undefined when the tar was removed
   */
  static async resume(uploads: Uploads, organization: string, received: ReceivedPages): Promise<PageTar | undefined> {
    try {
      const { upload } = await uploads.status(organization, received.id);
      if (upload.length === undefined) await uploads.truncate(upload, received.offset);
      return new PageTar(uploads, organization, received);
    } catch (error) {
      if (isTidemarkError(error, 'not-found')) return undefined;
      throw error;
    }
  }

  get received(): ReceivedPages {
    return this.#received;
  }

  /** Stores a page durably. @throws TidemarkError `conflict` when another process stores one; as the artifact store */
  async append(file: Pick<ScratchFile, 'length' | 'read'>): Promise<ReceivedPages> {
    const { id, pages, offset } = this.#received;
    const name = `${String(pages + 1).padStart(DIGITS, '0')}.xml.gz`;
    const body = member(name, file);
    const end = await this.#uploads.append({ organization: this.#organization, id }, { offset, body });
    this.#received = { id, pages: pages + 1, offset: end };
    return this.#received;
  }

  /** Ends the tar, and returns the number of its upload. A call that repeats another one returns the same. */
  async end(signal: AbortSignal): Promise<number> {
    const { id, offset } = this.#received;
    const organization = this.#organization;
    let status = await this.#uploads.status(organization, id);
    const { done, length } = status.upload;
    if (done === undefined && status.offset !== offset && status.offset !== length)
      throw missing(offset, status.offset);
    if (done === undefined && status.offset === offset) {
      const sent = { offset, length: offset + TRAILER.length, body: once(TRAILER) };
      status = await this.#uploads.receive(organization, id, sent);
    }
    while (status.upload.done === undefined) {
      await wait(POLL_MS, undefined, { signal });
      status = await this.#uploads.status(organization, id);
    }
    return status.upload.done.number;
  }
}

function missing(expected: number, stored: number): TidemarkError {
  const message = `of ${expected} bytes of pages that were stored, there are ${stored}: the artifact store has lost some`;
  return new TidemarkError('unavailable', message);
}

async function* member(name: string, file: Member): AsyncGenerator<Uint8Array> {
  yield tarHeader(name, file.length);
  yield* file.read(0, file.length);
  yield Buffer.alloc(-file.length & (BLOCK_BYTES - 1));
}

interface Member {
  readonly length: number;
  read(at: number, length: number): AsyncIterable<Uint8Array>;
}

async function* once(bytes: Uint8Array): AsyncGenerator<Uint8Array> {
  yield bytes;
}

/** A tar of files that are known from the beginning. */
export async function* tarOf(
  files: AsyncIterable<{ readonly name: string; readonly length: number; read(): AsyncIterable<Uint8Array> }>,
): AsyncGenerator<Uint8Array, void, undefined> {
  for await (const { name, length, read } of files) yield* member(name, { length, read: () => read() });
  yield TRAILER;
}

/** @param length bytes, less than 8 GB */
function tarHeader(name: string, length: number): Buffer {
  const header = Buffer.alloc(BLOCK_BYTES);
  header.write(name, 0, 'latin1');
  // Mode, owner and group; length and time.
  header.write(octal(0o644, 7) + octal(0, 7) + octal(0, 7), 100, 'latin1');
  header.write(octal(length, 11) + octal(0, 11), 124, 'latin1');
  // The checksum counts its own field as blanks. A regular file has the type 0.
  header.write(`${' '.repeat(8)}0`, 148, 'latin1');
  header.write(`ustar\0${'0'.repeat(2)}`, 257, 'latin1');
  const sum = header.reduce((total, byte) => total + byte, 0);
  header.write(octal(sum, 6), 148, 'latin1');
  return header;
}

const octal = (value: number, digits: number): string => `${value.toString(8).padStart(digits, '0')}\0`;
