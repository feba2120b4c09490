import { createHash, randomUUID } from 'node:crypto';
import { createWriteStream } from 'node:fs';
import { mkdir, rename, rm, writeFile } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import type { Transform, Writable } from 'node:stream';
import { finished, pipeline } from 'node:stream/promises';
import { constants, createBrotliCompress, createGzip } from 'node:zlib';
import { TidemarkError } from '../domain/errors.ts';
import { failpoint } from '../domain/failpoint.ts';
import type { Encoding } from './published-document.ts';
import { utf8Parts } from './utf8-parts.ts';

/** What stands beside a rendered document's bodies, in a file of its own: the document is there when this file is. */
export interface DocumentRecord {
  readonly digest: string;
  readonly newest: number;
  readonly rendered: number;
  readonly immutable: boolean;
  readonly lengths: Readonly<Record<Encoding, number>>;
  /** The name of its bodies, without their endings. */
  readonly bodies: string;
}

export const BODY_ENDINGS: Readonly<Record<Encoding, string>> = { identity: '.xml', gzip: '.xml.gz', br: '.xml.br' };

// 17 MB of entries: gzip 2 takes 51 ms for 2.62 MB (6: 83 ms, 2.51 MB), brotli 1 takes 25 ms for 2.27 MB (4: 143 ms, 2.30 MB).
const GZIP = { level: 2, chunkSize: 262_144 };
const BROTLI = { chunkSize: 262_144, params: { [constants.BROTLI_PARAM_QUALITY]: 1 } };

/**
 * Writes a document in every encoding, and then, at once, the record that makes it visible. A body is never written over: a reader that has
 * the old record gets the old bytes.
 * @param record the path of the record
 * @throws TidemarkError `unavailable` when the disk does not take it; then nothing of it is left
 */
export async function writeDocument(
  record: string,
  text: AsyncIterable<string>,
  about: Pick<DocumentRecord, 'newest' | 'immutable'>,
): Promise<DocumentRecord> {
  failpoint('render.begun');
  const folder = dirname(record);
  await mkdir(folder, { recursive: true });
  const bodies = join(folder, randomUUID());
  try {
    const { digest, lengths } = await writeBodies(bodies, text);
    failpoint('render.written');
    const written: DocumentRecord = { ...about, digest, lengths, rendered: Date.now(), bodies: basename(bodies) };
    const unpublished = `${bodies}.json`;
    await writeFile(unpublished, JSON.stringify(written));
    await rename(unpublished, record);
    failpoint('render.published');
    return written;
  } catch (error) {
    await removeBodies(bodies);
    throw translate(folder, error);
  }
}

export async function removeBodies(bodies: string): Promise<void> {
  await Promise.all([...Object.values(BODY_ENDINGS), '.json'].map((ending) => rm(bodies + ending, { force: true })));
}

async function writeBodies(bodies: string, text: AsyncIterable<string>) {
  const hash = createHash('sha256');
  const sinks = {
    identity: new BodySink(bodies + BODY_ENDINGS.identity),
    gzip: new BodySink(bodies + BODY_ENDINGS.gzip, createGzip(GZIP)),
    br: new BodySink(bodies + BODY_ENDINGS.br, createBrotliCompress(BROTLI)),
  };
  const all = Object.values(sinks);
  try {
    let written: Promise<unknown> = Promise.resolve();
    for await (const bytes of utf8Parts(text)) {
      hash.update(bytes);
      // The slowest of the three sets the pace: while a part is written the next one is made, in the memory of the one before.
      await written;
      written = Promise.all(all.map((sink) => sink.write(bytes)));
      written.catch(() => {});
    }
    await written;
    await Promise.all(all.map((sink) => sink.end()));
  } catch (error) {
    await Promise.all(all.map((sink) => sink.abandon()));
    throw error;
  }
  const lengths = { identity: sinks.identity.length, gzip: sinks.gzip.length, br: sinks.br.length };
  return { digest: hash.digest('base64url'), lengths };
}

/** One body, compressed on its way to the disk. */
class BodySink {
  readonly #input: Writable;
  readonly #done: Promise<void>;
  readonly #closed: Promise<void>;
  length = 0;

  constructor(file: string, compress?: Transform) {
    const output = createWriteStream(file);
    this.#input = compress ?? output;
    this.#done = compress === undefined ? finished(output) : pipeline(compress, output);
    // Told by write() or end(); without this, a full disk between two writes would end the process.
    this.#done.catch(() => {});
    this.#closed = new Promise((resolve) => {
      output.on('close', () => {
        this.length = output.bytesWritten;
        resolve();
      });
    });
  }

  /** Resolves when the bytes are no longer needed. */
  write(bytes: Buffer): Promise<void> {
    return new Promise((resolve, reject) => {
      this.#input.write(bytes, (error) => (error ? reject(error) : resolve()));
      // What is destroyed calls nobody back.
      this.#done.catch(reject);
    });
  }

  async end(): Promise<void> {
    this.#input.end();
    await this.#done;
  }

  /** Resolves when its file is closed, whatever became of it. */
  async abandon(): Promise<void> {
    this.#input.destroy();
    await this.#closed;
  }
}

const FAULTS: Readonly<Record<string, string>> = {
  ENOSPC: 'the disk is full',
  EDQUOT: 'the disk quota is used up',
  EROFS: 'its file system is read-only',
  EACCES: 'this account may not write there',
};

function translate(folder: string, error: unknown): unknown {
  const { code, syscall, message } = error as NodeJS.ErrnoException;
  if (code === undefined || syscall === undefined) return error;
  const fault = FAULTS[code] ?? message;
  return new TidemarkError('unavailable', `rendered documents cannot be written to ${folder}: ${fault}`, {}, error);
}
