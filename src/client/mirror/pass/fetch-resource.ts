import { HASH_ALGORITHMS, type HashAlgorithm, type Hashes } from '../../../core/hash.ts';
import { hashesOf, RunningHashes } from '../../../core/running-hashes.ts';
import { type Fetched, FetchFailure } from '../../read/fetcher.ts';
import { resumedBody } from '../../read/resumed-body.ts';
import type { Reader } from '../../read/source-reader.ts';
import { conditionsOf, validatorOf } from '../lists/read-entries.ts';
import { type CopiedResource, strongestOf, type WantedResource } from '../lists/wanted-resource.ts';
import type { MirrorTarget, StagedFile } from '../target/mirror-target.ts';

/** A complete file with the wanted bytes, which is not visible yet. */
export interface StagedResource {
  readonly staged: StagedFile;
  readonly copied: CopiedResource;
}

export interface FetchedResource extends StagedResource {
  readonly validator: string | undefined;
}

interface WantedFile {
  readonly wanted: WantedResource;
  /** The path of the file once it is published. */
  readonly path: string;
}

type StagedFrom = WantedFile & { readonly mostBytes: number };

/** Why a resource could not be copied. The message is for people. Its file stays as it was. */
export class ResourceFailure extends Error {}

/**
 * Fetches a resource into a file that is not visible yet, and checks its length and every hash. A resource that is
 * listed without a hash gets one.
 * @param wanted.validator of the bytes in the copy, when the entry does not show whether they are right
 * @returns undefined when the bytes have not changed
 * @throws ResourceFailure
 */
export async function fetchResource(
  reader: Reader,
  target: MirrorTarget,
  { wanted, path, validator }: WantedFile & { readonly validator: string | undefined },
): Promise<FetchedResource | undefined> {
  try {
    const fetched = await reader.fetcher.get(wanted.uri, 'identity', reader.signal, conditionsOf(validator));
    const { status } = fetched;
    if (status !== 200) fetched.discard();
    if (status === 304 && validator !== undefined) return undefined;
    if (status !== 200) throw new ResourceFailure(`the server answers ${status}`);
    const to = { wanted, path, mostBytes: reader.limits.resourceBytes };
    const { staged, copied } = await stageBody(reader, target, fetched, to);
    return { staged, copied, validator: validatorOf(fetched.headers) };
  } catch (error) {
    reader.signal.throwIfAborted();
    if (error instanceof FetchFailure) throw new ResourceFailure(error.message);
    throw error;
  }
}

/**
 * Servers send a file that is packed itself, such as `a.xml.gz`, with a Content-Encoding, even if none is accepted.
 * Only a hash shows that its bytes are those of the resource, and not packed ones of it.
 */
async function stageBody(
  reader: Reader,
  target: MirrorTarget,
  fetched: Fetched,
  to: StagedFrom,
): Promise<StagedResource> {
  const encoding = fetched.headers['content-encoding'] ?? 'identity';
  const bytes = resumedBody(to.wanted.uri, fetched, reader);
  if (encoding === 'identity') return stageStream(bytes, target, to);
  const problem = `it comes with the Content-Encoding ${encoding}`;
  if (strongestOf(to.wanted.hashes) === undefined) {
    fetched.discard();
    throw new ResourceFailure(problem);
  }
  try {
    return await stageStream(bytes, target, to);
  } catch (error) {
    throw error instanceof ResourceFailure ? new ResourceFailure(`${problem}, and ${error.message}`) : error;
  }
}

/**
 * Checks bytes, and writes them into a file that is not visible yet.
 * @param bytes the whole content. Returns a promise only when it must wait: many files are short
 * @throws ResourceFailure when the bytes are not the wanted ones
 */
export function stage(
  bytes: Uint8Array,
  target: MirrorTarget,
  { wanted, path, mostBytes }: StagedFrom,
): StagedResource | Promise<StagedResource> {
  requireRoom(bytes.length, wanted, mostBytes);
  const found = hashesOf(bytes, algorithmsFor(wanted));
  requireEqual(bytes.length, found, wanted);
  const file = target.begin(path, bytes.length);
  const copied = copiedOf(wanted, bytes.length, found);
  const fail = async (error: unknown): Promise<never> => {
    await file.discard();
    throw error;
  };
  try {
    const written = file.write(bytes);
    const staged = written === undefined ? file.finish() : written.then(() => file.finish());
    return staged instanceof Promise ? staged.then((staged) => ({ staged, copied }), fail) : { staged, copied };
  } catch (error) {
    return fail(error);
  }
}

/**
 * Writes bytes into a file that is not visible yet, and checks them as they arrive.
 * @throws ResourceFailure when they are not the wanted ones
 */
export async function stageStream(
  pieces: AsyncIterable<Uint8Array>,
  target: MirrorTarget,
  { wanted, path, mostBytes }: StagedFrom,
): Promise<StagedResource> {
  const hashes = new RunningHashes(algorithmsFor(wanted));
  const file = target.begin(path, wanted.length);
  let length = 0;
  try {
    for await (const piece of pieces) {
      length += piece.length;
      requireRoom(length, wanted, mostBytes);
      hashes.update(piece);
      const written = file.write(piece);
      if (written !== undefined) await written;
    }
    const found = hashes.digest();
    requireEqual(length, found, wanted);
    return { staged: await file.finish(), copied: copiedOf(wanted, length, found) };
  } catch (error) {
    await file.discard();
    throw error;
  }
}

/** The algorithm to hash with: the strongest one of the entry, or SHA-256 if it has none. */
const nameOfHash = ({ hashes }: WantedResource): HashAlgorithm => strongestOf(hashes) ?? 'sha-256';

function algorithmsFor(wanted: WantedResource): readonly HashAlgorithm[] {
  const strongest = nameOfHash(wanted);
  return HASH_ALGORITHMS.filter((name) => name === strongest || wanted.hashes[name]);
}

function copiedOf(wanted: WantedResource, length: number, found: Hashes): CopiedResource {
  const { lastmod, stamp, about } = wanted;
  const name = nameOfHash(wanted);
  return { length, hash: `${name}:${found[name]}`, lastmod, stamp, about };
}

/** @throws ResourceFailure */
function requireRoom(length: number, wanted: WantedResource, mostBytes: number): void {
  if (wanted.length !== undefined && length > wanted.length) {
    throw new ResourceFailure(`it has more bytes than the ${wanted.length} of the list`);
  }
  if (length > mostBytes) throw new ResourceFailure(`it has more than ${mostBytes.toLocaleString('en-US')} bytes`);
}

/** @throws ResourceFailure */
function requireEqual(length: number, found: Hashes, wanted: WantedResource): void {
  if (wanted.length !== undefined && wanted.length !== length) {
    throw new ResourceFailure(`it has ${length} bytes, and the list says ${wanted.length}`);
  }
  for (const name of HASH_ALGORITHMS) {
    const expected = wanted.hashes[name];
    if (expected === undefined || expected === found[name]) continue;
    throw new ResourceFailure(`its ${name} is ${found[name]}, and the list says ${expected}`);
  }
}
