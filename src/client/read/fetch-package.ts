import { closeSync, mkdirSync, openSync, rmSync } from 'node:fs';
import { dirname } from 'node:path';
import { TidemarkError } from '../../core/errors.ts';
import { unlinked } from '../../lib/files/unlinked.ts';
import { writeAllSync } from '../../lib/files/write-all.ts';
import { reasonOf } from '../../lib/system-error.ts';
import { type Fetched, FetchFailure } from './fetcher.ts';
import type { Reader } from './source-reader.ts';
import { unpacked } from './unpacked.ts';

/** A package on disk. */
export interface PackageFile {
  readonly fd: number;
  /** Bytes. */
  readonly length: number;
  /** Closes and deletes the file. */
  close(): void;
}

interface PackageOptions {
  /** The name of the file until it is closed, on systems that cannot unlink an open file. */
  readonly path: string;
  readonly mostBytes: number;
  /** Called for each chunk, in order. */
  readonly onChunk: (chunk: Buffer) => void;
  /** Continues a body that breaks off. */
  readonly resumed?: (fetched: Fetched) => AsyncIterable<Uint8Array>;
}

/**
 * Fetches a package into an unlinked file.
 * @throws FetchFailure or TooLarge when the package cannot be fetched
 * @throws TidemarkError `unavailable` when the file cannot be written
 */
export async function fetchPackage(reader: Reader, uri: string, options: PackageOptions): Promise<PackageFile> {
  const { path } = options;
  const fd = onDisk(uri, () => {
    mkdirSync(dirname(path), { recursive: true });
    rmSync(path, { force: true });
    return openSync(path, 'wx+', 0o600);
  });
  // The system then deletes the file even when this process is killed.
  const isUnlinked = unlinked(path);
  const close = () => {
    closeSync(fd);
    if (!isUnlinked) unlinked(path);
  };
  try {
    return { fd, length: await download(reader, uri, options, fd), close };
  } catch (error) {
    close();
    throw error;
  }
}

async function download(
  { fetcher, signal }: Reader,
  uri: string,
  { mostBytes, onChunk, resumed = ({ body }) => body }: PackageOptions,
  fd: number,
): Promise<number> {
  const fetched = await fetcher.get(uri, 'identity', signal);
  if (fetched.status !== 200) {
    fetched.discard();
    throw new FetchFailure(`the server answers ${fetched.status}`);
  }
  let length = 0;
  for await (const chunk of unpacked({ ...fetched, body: resumed(fetched) }, mostBytes)) {
    length += chunk.length;
    onChunk(chunk);
    onDisk(uri, () => writeAllSync(fd, chunk));
  }
  return length;
}

/** @throws TidemarkError `unavailable` such as on a full disk: that is not a fault of the package */
function onDisk<Result>(uri: string, work: () => Result): Result {
  try {
    return work();
  } catch (error) {
    const message = `the package ${uri} cannot be written to the disk: ${reasonOf(error)}`;
    throw new TidemarkError('unavailable', message, { uri }, error);
  }
}
