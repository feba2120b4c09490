import { createHash, randomUUID } from 'node:crypto';
import { createWriteStream, type WriteStream } from 'node:fs';
import { rename, rm, stat, writeFile } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { createGzip } from 'node:zlib';
import { TidemarkError } from '../../core/errors.ts';
import { failpoint } from '../../lib/failpoint.ts';
import { makeFolder } from '../../lib/files/make-folder.ts';
import { reasonOf } from '../../lib/system-error.ts';
import type { Encoding } from '../published-document.ts';
import { utf8Parts } from './utf8-parts.ts';

/** The file beside the body of a rendered document: the document exists when this file does. */
export interface DocumentRecord {
  readonly digest: string;
  readonly newest: number;
  readonly rendered: number;
  readonly immutable: boolean;
  readonly lengths: Readonly<Record<Encoding, number>>;
  /** The name of its body, without the extension. */
  readonly body: string;
  /** A newer version with the same basis can be made from this one: see incremental-render.ts. */
  readonly basis?: string | undefined;
}

/** Milliseconds after which a body that no record names counts as left over from a killed process. */
const LEFT_OVER_AFTER = 10 * 60 * 1000;

/** Only gzip is stored: a request for plain text is rare, and served by unpacking. */
export const BODY_ENDING = '.xml.gz';

// Measured with 17 MB of entries: 38 ms for 2.55 MB; gzip 6 takes 83 ms for 2.51 MB. Repeated text is in the previous
// entry, so a small window suffices: zlib's default of 32 kB would cost 12 ms more, and its distances are longer.
const GZIP = { level: 2, windowBits: 12, memLevel: 7, chunkSize: 262_144 };

/**
 * Writes a document, packed, and then the record that makes it visible in one step. A body is never overwritten: a
 * reader with the old record gets the old bytes.
 * @param record the path of the record
 * @throws TidemarkError `unavailable` when the disk cannot be written; then nothing of it remains
 */
export async function writeDocument(
  record: string,
  text: AsyncIterable<string | Buffer>,
  about: Pick<DocumentRecord, 'newest' | 'immutable' | 'basis'>,
): Promise<DocumentRecord> {
  failpoint('render.begun');
  const folder = dirname(record);
  makeFolder(folder);
  const body = join(folder, randomUUID());
  try {
    const { digest, lengths } = await writeBody(body, text);
    failpoint('render.written');
    const written: DocumentRecord = { ...about, digest, lengths, rendered: Date.now(), body: basename(body) };
    const unpublished = `${body}.json`;
    await writeFile(unpublished, JSON.stringify(written));
    await rename(unpublished, record);
    failpoint('render.published');
    return written;
  } catch (error) {
    await removeBody(body);
    throw translate(folder, error);
  }
}

export async function removeBody(body: string): Promise<void> {
  await Promise.all([BODY_ENDING, '.json'].map((ending) => rm(body + ending, { force: true })));
}

/** The name of the body that a file belongs to. The file must not be a record. */
export function bodyOf(file: string): string {
  return file.split('.')[0]!;
}

/** Removes files of bodies that no record names, except recent ones, which may still be being written. */
export async function removeLeftOver(files: readonly string[]): Promise<void> {
  for (const file of files) {
    const { mtimeMs } = await stat(file).catch(() => ({ mtimeMs: Date.now() }));
    if (Date.now() - mtimeMs > LEFT_OVER_AFTER) await rm(file, { force: true });
  }
}

async function writeBody(body: string, text: AsyncIterable<string | Buffer>) {
  const hash = createHash('sha256');
  const packed = new PackedFile(body + BODY_ENDING);
  let length = 0;
  try {
    let written = Promise.resolve();
    for await (const bytes of utf8Parts(text)) {
      hash.update(bytes);
      length += bytes.length;
      // The next part is made while this one is compressed, in the memory of the part before.
      await written;
      written = packed.write(bytes);
      written.catch(() => {});
    }
    await written;
    await packed.end();
  } catch (error) {
    await packed.abandon();
    throw error;
  }
  return { digest: hash.digest('base64url'), lengths: { identity: length, gzip: packed.length } };
}

/** A file that is compressed while it is written to the disk. */
class PackedFile {
  readonly #gzip = createGzip(GZIP);
  readonly #output: WriteStream;
  readonly #done: Promise<void>;
  readonly #closed: Promise<void>;

  constructor(file: string) {
    this.#output = createWriteStream(file);
    this.#closed = new Promise((resolve) => this.#output.on('close', () => resolve()));
    this.#done = pipeline(this.#gzip, this.#output);
    // write() or end() reports the error; without this handler, a full disk between two writes would end the process.
    this.#done.catch(() => {});
  }

  /** Bytes on the disk. */
  get length(): number {
    return this.#output.bytesWritten;
  }

  /** Resolves when the bytes are no longer needed. */
  write(bytes: Buffer): Promise<void> {
    return new Promise((resolve, reject) => {
      this.#gzip.write(bytes, (error) => (error ? reject(error) : resolve()));
      // A destroyed stream never calls back.
      this.#done.catch(reject);
    });
  }

  async end(): Promise<void> {
    this.#gzip.end();
    await this.#done;
  }

  /** Resolves when the file is closed, also after an error. */
  async abandon(): Promise<void> {
    this.#gzip.destroy();
    await this.#closed;
  }
}

function translate(folder: string, error: unknown): unknown {
  const { code, syscall } = error as NodeJS.ErrnoException;
  if (code === undefined || syscall === undefined) return error;
  const message = `rendered documents cannot be written to the folder ${folder}: ${reasonOf(error)}`;
  return new TidemarkError('unavailable', message, { folder }, error);
}
