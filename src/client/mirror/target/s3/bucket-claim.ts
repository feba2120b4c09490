import { randomUUID } from 'node:crypto';
import { hostname } from 'node:os';
import { text } from 'node:stream/consumers';
import { TidemarkError } from '../../../../core/errors.ts';
import { parsedJson } from '../../../../lib/parsed-json.ts';
import type { Bucket } from '../../../../lib/s3/bucket.ts';
import { failureOf } from '../../../../lib/s3/s3-failure.ts';
import type { WriteRequests } from '../../../../lib/s3/write-requests.ts';
import { OWN_PREFIX } from '../../names/safe-name.ts';
import type { Opening } from '../mirror-place.ts';

/** The record in a bucket of the copy that it contains. */
interface Claim {
  /** The same id as in the state of the copy. */
  readonly id: string;
  /** The URL of the source. */
  readonly source: string;
  /** The name of the machine that has the state. */
  readonly host: string;
}

/** The object of the claim, beside the objects of the copy. */
const CLAIM = `${OWN_PREFIX}.json`;

/**
 * Claims a bucket for a copy, unless it has the copy's claim already. Returns the id of the copy.
 * @throws TidemarkError `conflict` when it has another copy, or other content, and may not be taken over
 */
export async function claimBucket(requests: WriteRequests, { state, adopts, source }: Opening): Promise<string> {
  const { bucket } = requests;
  const known = state.fact('bucket')?.id;
  const found = await readClaim(bucket);
  if (found !== undefined && found.id === known) return known;
  if (found !== undefined && !adopts) throw isKeptElsewhere(bucket, found);
  if (known === undefined && !adopts && !(await isEmpty(bucket))) throw isInUse(bucket);
  // The recorded state of its objects may be wrong by now: the next pass compares all.
  state.forgetAllCopied();
  const id = randomUUID();
  state.setFact('bucket', { name: bucket.name, id });
  state.commit();
  await writeClaim(requests, { id, source, host: hostname() }, found !== undefined);
  return id;
}

/** @throws TidemarkError `conflict` when the bucket has no claim, or the claim of another copy */
export async function requireClaim(bucket: Bucket, id: string): Promise<void> {
  const found = await readClaim(bucket);
  if (found?.id !== id) throw found === undefined ? isEmptied(bucket) : isKeptElsewhere(bucket, found);
}

/** @throws TidemarkError `unavailable` */
export async function readClaim(bucket: Bucket): Promise<Claim | undefined> {
  try {
    const { Body } = await bucket.get(CLAIM, {}, undefined);
    // A claim that no mirror has written never matches.
    const { id, source, host } = Object(parsedJson(await text(Body as AsyncIterable<Buffer>)));
    return { id: String(id), source: String(source), host: String(host) };
  } catch (error) {
    const { status, name } = failureOf(error);
    if (status === 404 && name !== 'NoSuchBucket') return undefined;
    throw bucket.errorOf(error);
  }
}

async function writeClaim(requests: WriteRequests, claim: Claim, restores: boolean): Promise<void> {
  const object = { path: CLAIM, contentType: 'application/json', id: claim.id, restores };
  try {
    await requests.put(object, Buffer.from(`${JSON.stringify(claim, undefined, 2)}\n`));
  } catch (error) {
    const { status } = failureOf(error);
    if (status !== 412 && status !== 409) throw requests.bucket.errorOf(error);
    const found = await readClaim(requests.bucket);
    // The response to an earlier attempt may have been lost.
    if (found?.id !== claim.id) throw isKeptElsewhere(requests.bucket, found ?? claim);
  }
}

async function isEmpty(bucket: Bucket): Promise<boolean> {
  const { objects } = await bucket.page('', { most: 1 });
  return objects.length === 0;
}

function isKeptElsewhere({ name }: Bucket, { source, host }: Claim): TidemarkError {
  const cure = 'mirror it there, give the folder of that state with --state, or take the copy over with --adopt';
  return new TidemarkError('conflict', `${name} is a copy of ${source} whose state is on ${host}: ${cure}`, { host });
}

function isInUse({ name }: Bucket): TidemarkError {
  const cure = 'use another prefix, or --adopt to take over what is in it';
  return new TidemarkError('conflict', `${name} is not empty, and no copy that tidemark made: ${cure}`);
}

function isEmptied({ name }: Bucket): TidemarkError {
  return new TidemarkError('conflict', `${name} was emptied while it was mirrored: call it again to copy all of it`);
}
