import { Readable } from 'node:stream';
import type { GetObjectCommandOutput } from '@aws-sdk/client-s3';
import type { Bucket } from '../../lib/s3/bucket.ts';
import { readResuming } from '../../lib/s3/read-resuming.ts';
import { failureOf } from '../../lib/s3/s3-failure.ts';
import type { GetOptions, ObjectKey, OpenObject } from '../artifact-store.ts';
import { beyondEnd, cutOff, noSuchObject } from '../store-errors.ts';

interface ReadTask extends GetOptions {
  /** The name of the store in errors. */
  readonly store: string;
  readonly key: ObjectKey;
}

/** Opens an object with one request for the whole object or the range. Reading resumes after a broken connection. */
export async function openObject(bucket: Bucket, task: ReadTask): Promise<OpenObject> {
  const closed = new AbortController();
  const signal = task.signal === undefined ? closed.signal : AbortSignal.any([closed.signal, task.signal]);
  const { start, length = Number.POSITIVE_INFINITY } = task.range ?? { start: 0 };
  const first = await request(bucket, task, { start, end: start + length - 1, signal });
  const end = Math.min(start + length, first.total) - 1;
  const body = Readable.from(read(bucket, task, { first, start, end, signal }), { objectMode: false });
  body.once('close', () => {
    first.body.destroy();
    closed.abort();
  });
  return { length: first.total, body };
}

interface Span {
  readonly start: number;
  /** The position of the last byte; Infinity for the end of the object. */
  readonly end: number;
  readonly signal: AbortSignal;
}

interface Answer {
  readonly body: Readable;
  /** Bytes of the whole object. */
  readonly total: number;
}

function read(
  bucket: Bucket,
  task: ReadTask,
  { first, start, end, signal }: Span & { readonly first: Answer },
): AsyncGenerator<Uint8Array> {
  const { key, store } = task;
  let next: Answer | undefined = first;
  return readResuming({
    start,
    end,
    signal,
    async open(from) {
      const { body } = next ?? (await request(bucket, task, { start: from, end, signal }));
      next = undefined;
      return body;
    },
    tooLong: () => bucket.brokenAnswer(`sent more of ${key} than it has`),
    cutOff: (came) => cutOff(store, key, { came, of: end + 1 - start }),
    errorOf: (error) => bucket.errorOf(error),
  });
}

async function request(bucket: Bucket, task: ReadTask, { start, end, signal }: Span): Promise<Answer> {
  // Sent also for the whole object: the response then states the length of the object, not only that of the body.
  const range = `bytes=${start}-${Number.isFinite(end) ? end : ''}`;
  const answer = await bucket
    .get(task.key, { Range: range }, signal)
    .catch((error: unknown) => {
      // An empty object has no range.
      if (failureOf(error).status === 416 && task.range === undefined) return bucket.get(task.key, {}, signal);
      throw error;
    })
    .catch(async (error: unknown) => {
      throw await explain(bucket, task, { error, start });
    });
  const body = answer.Body as Readable;
  // The reader gets the error. The stream may fail before it has a reader.
  body.on('error', () => {});
  const total = totalOf(answer, start);
  if (total !== undefined) return { body, total };
  body.destroy();
  throw bucket.brokenAnswer('does not send the range that it is asked for, or does not say how much it sends');
}

/** Bytes of the whole object; undefined when the response does not fit the request. */
function totalOf({ ContentRange, ContentLength }: GetObjectCommandOutput, start: number): number | undefined {
  if (ContentRange === undefined) return ContentLength === 0 ? 0 : undefined;
  const [, from, last, total] = /^bytes (\d+)-(\d+)\/(\d+)$/.exec(ContentRange) ?? [];
  const isAsked = Number(from) === start && ContentLength === Number(last) - start + 1;
  return isAsked ? Number(total) : undefined;
}

async function explain(
  bucket: Bucket,
  { key, store, signal }: ReadTask,
  { error, start }: { readonly error: unknown; readonly start: number },
): Promise<unknown> {
  signal?.throwIfAborted();
  const { status, name } = failureOf(error);
  if (status === 416) return beyondEnd(store, key, start);
  if (status !== 404 || name === 'NoSuchBucket') return bucket.errorOf(error);
  // A response that was cut off may not show whether the key or the bucket is missing.
  if (name === 'NoSuchKey' || (await bucket.find(key)) === undefined) return noSuchObject(store, key);
  return bucket.brokenAnswer(`lists ${key}, and does not find it`);
}
