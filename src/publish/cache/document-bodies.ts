import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { open, readFile, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { pipeline as pipe, type Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { promisify } from 'node:util';
import { createGunzip, gunzip } from 'node:zlib';
import { chunkFor, countStream } from '../../lib/bytes/read-ahead.ts';
import { ENCODINGS, type Encoding } from '../published-document.ts';
import { BODY_ENDING, type DocumentRecord, removeBody } from './document-files.ts';

const CHUNK = 262_144;
const unpack = promisify(gunzip);

/** Largest body, in bytes, that is read whole and kept in memory: serving it again costs only sending. */
const MOST_WHOLE = 4 * 1024 * 1024;
/** Bytes up to which a body is always read whole, since every client begins with such documents. */
const SMALL = 65_536;
const MOST_KEPT_BYTES = 32 * 1024 * 1024;
/** Most bytes of bodies in memory, including those that are no longer kept but still being sent to slow clients. */
const MOST_BYTES_IN_MEMORY = 64 * 1024 * 1024;
/**
 * Milliseconds for which the body of a replaced version stays: a request may have read its record, but not opened the
 * body yet.
 */
const GRACE = 10_000;

/** The bodies of rendered documents, stored beside their records on disk; most of them also in memory. */
export class DocumentBodies {
  readonly grace: number;
  readonly #kept = new Map<string, Buffer>();
  readonly #reading = new Map<string, Promise<Buffer>>();
  #keptBytes = 0;
  #bytesInMemory = 0;
  readonly #collected = new FinalizationRegistry((bytes: number) => {
    this.#bytesInMemory -= bytes;
  });

  /** @param grace milliseconds for which a body stays that no record names any more */
  constructor(grace = GRACE) {
    this.grace = grace;
  }

  async open(path: string, record: DocumentRecord, encoding: Encoding): Promise<Readable | Buffer> {
    const file = bodyPath(path, record);
    const length = record.lengths[encoding];
    const name = nameInMemory(path, record, encoding);
    const kept = this.#kept.get(name);
    if (kept !== undefined) {
      // Moved to the end: the least recently used ones are dropped first.
      this.#kept.delete(name);
      this.#kept.set(name, kept);
      return kept;
    }
    const isReading = this.#reading.has(name);
    const hasRoom = length <= MOST_WHOLE && this.#bytesInMemory + length <= MOST_BYTES_IN_MEMORY;
    if (!isReading && !hasRoom && length > SMALL) return openLarge(file, encoding);
    return this.#read(file, name, encoding);
  }

  /** Concurrent requests share one read. */
  #read(file: string, name: string, encoding: Encoding): Promise<Buffer> {
    const underWay = this.#reading.get(name);
    if (underWay !== undefined) return underWay;
    const reading = readWhole(file, encoding)
      .then((body) => {
        this.#keep(name, body);
        return body;
      })
      .finally(() => this.#reading.delete(name));
    this.#reading.set(name, reading);
    return reading;
  }

  /** Removes the body of a removed record. */
  removeLater(path: string, record: DocumentRecord): void {
    for (const encoding of ENCODINGS) this.#forget(nameInMemory(path, record, encoding));
    setTimeout(() => removeBody(join(path, '..', record.body)).catch(() => {}), this.grace).unref();
  }

  #keep(name: string, body: Buffer): void {
    this.#bytesInMemory += body.length;
    this.#collected.register(body, body.length);
    this.#kept.set(name, body);
    this.#keptBytes += body.length;
    for (const oldest of this.#kept.keys()) {
      if (this.#keptBytes <= MOST_KEPT_BYTES) break;
      this.#forget(oldest);
    }
  }

  #forget(name: string): void {
    this.#keptBytes -= this.#kept.get(name)?.length ?? 0;
    this.#kept.delete(name);
  }
}

async function readWhole(file: string, encoding: Encoding): Promise<Buffer> {
  const packed = await readFile(file);
  return encoding === 'identity' ? unpack(packed) : packed;
}

/**
 * Documents are written without waiting for the disk: after a power failure a record may exist while its body is
 * incomplete.
 * @throws Error in that case
 */
export async function requireBody(path: string, record: DocumentRecord): Promise<void> {
  const { size } = await stat(bodyPath(path, record));
  if (size !== record.lengths.gzip) throw new Error('the body is not whole');
}

/**
 * Whether a body has exactly the bytes that its record describes: after a power failure it may have the right size but
 * contain only zeros, and a disk may have changed some bytes. Reads the whole body.
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
  // An error reaches the reader: it destroys the unpacked stream.
  return encoding === 'identity' ? pipe(packed, createGunzip({ chunkSize: chunk }), () => {}) : packed;
}

export function bodyPath(record: string, { body }: DocumentRecord): string {
  return join(record, '..', body + BODY_ENDING);
}

/** The key of a body in memory. */
function nameInMemory(record: string, { body }: DocumentRecord, encoding: Encoding): string {
  return `${join(record, '..', body)} ${encoding}`;
}
