import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { open, readFile, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { pipeline as pipe, type Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { promisify } from 'node:util';
import { createGunzip, gunzip } from 'node:zlib';
import { chunkFor, countStream } from '../../lib/read-ahead.ts';
import { ENCODINGS, type Encoding } from '../published-document.ts';
import { BODY_ENDING, type DocumentRecord, removeBody } from './document-files.ts';

const CHUNK = 262_144;
const unpack = promisify(gunzip);

/** Bodies up to this size are kept in memory: those that every client begins with. */
const SMALL = 65_536;
const MOST_SMALL_BYTES = 32 * 1024 * 1024;
/**
 * Milliseconds that the body of a replaced version stays: a request may hold its record, and not have opened it yet.
 */
const GRACE = 10_000;

/** The bodies of rendered documents, which lie beside their records on disk; small ones also in memory. */
export class DocumentBodies {
  readonly #grace: number;
  readonly #small = new Map<string, Buffer>();
  #smallBytes = 0;

  /** @param grace milliseconds that a body stays which no record names any more */
  constructor(grace = GRACE) {
    this.#grace = grace;
  }

  async open(path: string, record: DocumentRecord, encoding: Encoding): Promise<Readable | Buffer> {
    const file = bodyPath(path, record);
    if (record.lengths[encoding] > SMALL) return openLarge(file, encoding);
    const name = smallName(path, record, encoding);
    const kept = this.#small.get(name);
    if (kept !== undefined) return kept;
    const read = await readFile(file);
    const body = encoding === 'identity' ? await unpack(read) : read;
    this.#keepSmall(name, body);
    return body;
  }

  /** Removes the body of a record that is there no more. */
  removeLater(path: string, record: DocumentRecord): void {
    for (const encoding of ENCODINGS) this.#forgetSmall(smallName(path, record, encoding));
    setTimeout(() => removeBody(join(path, '..', record.body)).catch(() => {}), this.#grace).unref();
  }

  #keepSmall(name: string, body: Buffer): void {
    // Two may have read it at the same time.
    this.#forgetSmall(name);
    this.#small.set(name, body);
    this.#smallBytes += body.length;
    for (const oldest of this.#small.keys()) {
      if (this.#smallBytes <= MOST_SMALL_BYTES) break;
      this.#forgetSmall(oldest);
    }
  }

  #forgetSmall(name: string): void {
    this.#smallBytes -= this.#small.get(name)?.length ?? 0;
    this.#small.delete(name);
  }
}

/**
 * Nothing waits for the disk when a document is written: after a power failure a record may be there, and its body not
 * whole.
 * @throws Error then
 */
export async function requireBody(path: string, record: DocumentRecord): Promise<void> {
  const { size } = await stat(bodyPath(path, record));
  if (size !== record.lengths.gzip) throw new Error('the body is not whole');
}

/**
 * Whether a body has the very bytes that its record is about: after a power failure it may have the right size and be
 * full of zeros, and a disk may have changed some. Reads all of it.
 */
export async function isSound(path: string, record: DocumentRecord): Promise<boolean> {
  const hash = createHash('sha256');
  let length = 0;
  try {
    await pipeline(
      createReadStream(bodyPath(path, record), { highWaterMark: CHUNK }),
      createGunzip({ chunkSize: CHUNK }),
      async (parts: AsyncIterable<Buffer>) => {
        for await (const part of parts) {
          length += part.length;
          if (length > record.lengths.identity) throw new Error('the body is too long');
          hash.update(part);
        }
      },
    );
  } catch {
    return false;
  }
  return hash.digest('base64url') === record.digest;
}

async function openLarge(file: string, encoding: Encoding): Promise<Readable> {
  const handle = await open(file);
  const chunk = chunkFor(CHUNK);
  const packed = createReadStream(file, { fd: handle, highWaterMark: chunk });
  countStream(packed);
  // A fault reaches the reader: the unpacked stream is destroyed with it.
  return encoding === 'identity' ? pipe(packed, createGunzip({ chunkSize: chunk }), () => {}) : packed;
}

export function bodyPath(record: string, { body }: DocumentRecord): string {
  return join(record, '..', body + BODY_ENDING);
}

/** What a small body is kept under in memory. */
function smallName(record: string, { body }: DocumentRecord, encoding: Encoding): string {
  return `${join(record, '..', body)} ${encoding}`;
}
