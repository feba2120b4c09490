import { hostname } from 'node:os';
import { setTimeout as wait } from 'node:timers/promises';
import { TidemarkError } from '../../core/errors.ts';
import type { ListedS3Object } from '../../lib/s3/read-list.ts';
import { errorCode } from '../../lib/system-error.ts';
import type { ObjectKey } from '../artifact-store.ts';
import { keyTaken } from '../store-errors.ts';
import type { WriteRequests } from './write-requests.ts';

/** Beside what is stored: no key begins with a dot. */
const FOLDER = '.claims';
/** Milliseconds after which whoever claimed a key is gone: all that is done with a claim is one request, and its repetitions. */
const EXPIRY = 15 * 60_000;
/** Milliseconds to wait for somebody else who has claimed the key, and between two looks. */
const PATIENCE = 60_000;
const PAUSE = 50;
const LONGEST_PAUSE = 2_000;
/** Times that a claim is written. */
const ATTEMPTS = 5;
const NAME = /^(.*)\.(\d+)\.[0-9a-f-]{36}$/;

export interface ClaimOptions {
  /** The store, as errors name it. */
  readonly store: string;
  readonly signal?: AbortSignal | undefined;
}

/**
 * Does something while nobody else writes an object, which is not there. Servers that know If-None-Match may still let two writers pass
 * who come at the same time (versitygw 1.7), and others do not know it. So everybody first writes a claim under a name of its own, and lists
 * those of the key: of two who come at the same time, at least one sees the other, and who sees another withdraws. That needs a list that has
 * what was written before, as S3 promises.
 * @throws TidemarkError `conflict` when the object is there
 */
export async function withClaim<Result>(
  objects: WriteRequests,
  key: ObjectKey,
  { store, signal }: ClaimOptions,
  work: () => Promise<Result>,
): Promise<Result> {
  const deadline = performance.now() + PATIENCE;
  for (let pause = PAUSE; ; pause = Math.min(pause * 2, LONGEST_PAUSE)) {
    const claim = `${FOLDER}/${key}/${hostname()}.${process.pid}.${crypto.randomUUID()}`;
    await writeClaim(objects, claim, signal);
    try {
      const [others, taken] = await Promise.all([otherClaims(objects, key, claim), objects.bucket.find(key)]);
      if (taken !== undefined) throw keyTaken(store, key);
      if (others.length === 0) return await work();
      if (performance.now() > deadline) throw heldByOther(store, key);
    } finally {
      // Where it may not be deleted, it expires.
      await objects.delete(claim).catch(() => {});
    }
    await wait(pause * (0.5 + Math.random()), undefined, signal === undefined ? {} : { signal });
  }
}

async function writeClaim(objects: WriteRequests, path: string, signal: AbortSignal | undefined): Promise<void> {
  const object = { path, id: path.slice(-36), contentType: 'text/plain' };
  for (let attempt = 1; ; attempt++) {
    try {
      await objects.put(object, new Uint8Array(0), { onlyNew: false, signal });
      return;
    } catch (error) {
      signal?.throwIfAborted();
      if (attempt === ATTEMPTS || !isConflict(error)) throw objects.bucket.errorOf(error);
    }
    await wait(PAUSE * attempt);
  }
}

/** A server whose folders are those of a file system takes the folder of the last claim away just as this one is put into it (versitygw 1.7). */
function isConflict(error: unknown): boolean {
  return (error as { $metadata?: { httpStatusCode?: number } }).$metadata?.httpStatusCode === 409;
}

async function otherClaims(objects: WriteRequests, key: ObjectKey, own: string): Promise<readonly ListedS3Object[]> {
  const claims: ListedS3Object[] = [];
  for await (const page of objects.bucket.pages(`${FOLDER}/${key}/`)) claims.push(...page.objects);
  const mine = claims.find((claim) => claim.key === own);
  // Its clock tells how old the others are; and a list without it could lack others, too.
  if (mine === undefined) {
    throw new TidemarkError(
      'unavailable',
      `a list of ${objects.bucket.location.bucket} lacks what was written just before`,
    );
  }
  const oldest = mine.lastModified.getTime() - EXPIRY;
  return claims.filter((claim) => claim !== mine && claim.lastModified.getTime() > oldest && !isDead(claim.key));
}

/** Whether it is of a process of this machine that has ended. */
function isDead(claim: string): boolean {
  const [, host, pid] = NAME.exec(claim.slice(claim.lastIndexOf('/') + 1)) ?? [];
  if (host !== hostname()) return false;
  try {
    process.kill(Number(pid), 0);
    return false;
  } catch (error) {
    return errorCode(error) === 'ESRCH';
  }
}

function heldByOther(store: string, key: ObjectKey): TidemarkError {
  const message = `${key} is being written into the artifact store ${store} by another process; try again in some minutes`;
  return new TidemarkError('unavailable', message, { key });
}
