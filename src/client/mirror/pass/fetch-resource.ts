import { HASH_ALGORITHMS, type Hashes } from '../../../core/hash.ts';
import { RunningHashes } from '../../../core/running-hashes.ts';
import { type Fetched, FetchFailure } from '../../read/fetcher.ts';
import type { Reader } from '../../read/reader.ts';
import { conditionsOf, validatorOf } from '../lists/read-entries.ts';
import { type CopiedResource, strongestOf, type WantedResource } from '../lists/wanted-resource.ts';
import { resumedBody } from '../requests/resumed-body.ts';
import type { MirrorTarget, StagedFile } from '../target/mirror-target.ts';

export interface FetchedResource {
  readonly staged: StagedFile;
  readonly copied: CopiedResource;
  readonly validator: string | undefined;
}

export interface WantedFile {
  readonly wanted: WantedResource;
  /** The one that its file is going to have. */
  readonly path: string;
}

/** Why a resource could not be copied, in words for a person. Its file stays as it was. */
export class ResourceFailure extends Error {}

/**
 * Fetches a resource into a file that is not visible yet, and compares it with what is wanted: its length, and every
 * hash. What is wanted without a hash gets one.
 * @param wanted.validator of the bytes that the copy has, when nothing else says whether they are right
 * @returns undefined when they are still the same
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
    if (!isIdentity(fetched)) {
      fetched.discard();
      throw new ResourceFailure(`it comes with the Content-Encoding ${fetched.headers['content-encoding']}`);
    }
    const { staged, copied } = await stage(resumedBody(wanted.uri, fetched, reader), target, {
      wanted,
      path,
      mostBytes: reader.limits.resourceBytes,
    });
    return { staged, copied, validator: validatorOf(fetched.headers) };
  } catch (error) {
    reader.signal.throwIfAborted();
    if (error instanceof FetchFailure) throw new ResourceFailure(error.message);
    throw error;
  }
}

/**
 * Writes bytes into a file that is not visible yet, and compares them with what is wanted.
 * @throws ResourceFailure when they are others
 */
export async function stage(
  chunks: AsyncIterable<Uint8Array> | Iterable<Uint8Array>,
  target: MirrorTarget,
  { wanted, path, mostBytes }: WantedFile & { readonly mostBytes: number },
): Promise<Pick<FetchedResource, 'staged' | 'copied'>> {
  const strongest = strongestOf(wanted.hashes) ?? 'sha-256';
  const hashes = new RunningHashes(HASH_ALGORITHMS.filter((name) => name === strongest || wanted.hashes[name]));
  const file = target.begin(path, wanted.length);
  let length = 0;
  try {
    for await (const chunk of chunks) {
      length += chunk.length;
      if (wanted.length !== undefined && length > wanted.length) {
        throw new ResourceFailure(`it has more bytes than the ${wanted.length} of the list`);
      }
      if (length > mostBytes) throw new ResourceFailure(`it has more than ${mostBytes.toLocaleString('en-US')} bytes`);
      hashes.update(chunk);
      const written = file.write(chunk);
      if (written !== undefined) await written;
    }
    const found = hashes.digest();
    requireEqual(length, found, wanted);
    const copied = {
      ...{ length, hash: `${strongest}:${found[strongest]}` },
      ...{ lastmod: wanted.lastmod, stamp: wanted.stamp, about: wanted.about },
    };
    return { staged: await file.finish(), copied };
  } catch (error) {
    await file.discard();
    throw error;
  }
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

const isIdentity = ({ headers }: Fetched): boolean => (headers['content-encoding'] ?? 'identity') === 'identity';
