import { Readable } from 'node:stream';
import { setTimeout as wait } from 'node:timers/promises';
import type { GetObjectCommandOutput } from '@aws-sdk/client-s3';
import { isTidemarkError } from '../../core/errors.ts';
import { failureOf } from '../../lib/s3/s3-failure.ts';
import type { ArtifactKey, GetOptions, OpenObject } from '../artifact-store.ts';
import { beyondEnd, cutOff, noSuchObject } from '../store-errors.ts';
import { isThere } from './key-claim.ts';
import { brokenAnswer, storeError } from './s3-errors.ts';
import type { S3Objects } from './s3-objects.ts';

/** How often in a row reading goes on where it was cut off, and how long it waits before, milliseconds. */
const RESUMES = 3;
const PAUSE = 200;

export interface ReadTask extends GetOptions {
  /** As errors name it. */
  readonly store: string;
  readonly key: ArtifactKey;
}

/** One request opens an object, and reads all of it or the part that is wanted. A connection that is cut is taken up again where it was. */
export async function openObject(objects: S3Objects, task: ReadTask): Promise<OpenObject> {
  const closed = new AbortController();
  const signal = task.signal === undefined ? closed.signal : AbortSignal.any([closed.signal, task.signal]);
  const { start, length = Number.POSITIVE_INFINITY } = task.range ?? { start: 0 };
  const first = await request(objects, task, { start, end: start + length - 1, signal });
  const end = Math.min(start + length, first.total) - 1;
  const body = Readable.from(read(objects, task, { first, start, end, signal }), { objectMode: false });
  body.once('close', () => {
    first.body.destroy();
    closed.abort();
  });
  return { length: first.total, body };
}

interface Span {
  readonly start: number;
  /** The last byte; Infinity for the end of the object, whatever that is. */
  readonly end: number;
  readonly signal: AbortSignal;
}

interface Answer {
  readonly body: Readable;
  /** Bytes of the whole object. */
  readonly total: number;
}

async function* read(
  objects: S3Objects,
  task: ReadTask,
  { first, start, end, signal }: Span & { readonly first: Answer },
): AsyncGenerator<Uint8Array> {
  const { key, store } = task;
  let answer = first;
  for (let at = start, cuts = 0; at <= end; ) {
    try {
      for await (const chunk of answer.body) {
        at += chunk.length;
        cuts = 0;
        if (at > end + 1) throw brokenAnswer(objects.location, `sent more of ${key} than it has`);
        yield chunk;
      }
      if (at <= end) throw cutOff(store, key, { came: at - start, of: end + 1 - start });
    } catch (error) {
      signal.throwIfAborted();
      const explained = storeError(objects.location, error);
      cuts += 1;
      if (!isTidemarkError(explained, 'unavailable') || cuts > RESUMES) throw explained;
      await wait(PAUSE * cuts, undefined, { signal });
      answer = await request(objects, task, { start: at, end, signal });
    }
  }
}

async function request(objects: S3Objects, task: ReadTask, { start, end, signal }: Span): Promise<Answer> {
  // Also for the whole: then the answer tells how long that is, and not only how much of it comes.
  const range = `bytes=${start}-${Number.isFinite(end) ? end : ''}`;
  const answer = await objects
    .get(task.key, range, signal)
    .catch((error: unknown) => {
      // There is no range in an object without bytes.
      if (failureOf(error).status === 416 && task.range === undefined) return objects.get(task.key, undefined, signal);
      throw error;
    })
    .catch(async (error: unknown) => {
      throw await explain(objects, task, { error, start });
    });
  const body = answer.Body as Readable;
  // Whoever reads it is told; it may fail while nobody does.
  body.on('error', () => {});
  const total = totalOf(answer, start);
  if (total !== undefined) return { body, total };
  body.destroy();
  throw brokenAnswer(
    objects.location,
    'does not send the range that it is asked for, or does not say how much it sends',
  );
}

/** The bytes of the whole object; undefined for an answer that is not to what was asked. */
function totalOf({ ContentRange, ContentLength }: GetObjectCommandOutput, start: number): number | undefined {
  if (ContentRange === undefined) return ContentLength === 0 ? 0 : undefined;
  const [, from, last, total] = /^bytes (\d+)-(\d+)\/(\d+)$/.exec(ContentRange) ?? [];
  const isAsked = Number(from) === start && ContentLength === Number(last) - start + 1;
  return isAsked ? Number(total) : undefined;
}

async function explain(
  objects: S3Objects,
  { key, store, signal }: ReadTask,
  { error, start }: { readonly error: unknown; readonly start: number },
): Promise<unknown> {
  signal?.throwIfAborted();
  const { status, name } = failureOf(error);
  if (status === 416) return beyondEnd(store, key, start);
  if (status !== 404 || name === 'NoSuchBucket') return storeError(objects.location, error);
  // An answer may be cut off before it says which of the two is missing.
  if (name === 'NoSuchKey' || !(await isThere(objects, key))) return noSuchObject(store, key);
  return brokenAnswer(objects.location, `lists ${key}, and does not find it`);
}
