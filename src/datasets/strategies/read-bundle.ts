import type { Hashes } from '../../core/hash.ts';
import { HASH_ALGORITHMS } from '../../core/hash.ts';
import { RunningHashes } from '../../core/running-hashes.ts';
import { formatBytes } from '../../lib/format-bytes.ts';
import { formatCount } from '../../lib/format-count.ts';
import { type ByteRanges, DamagedFile } from '../../records/packages/found-file.ts';
import { GZIP_MAGIC, gunzip } from '../../records/packages/gunzip.ts';
import { Lookahead } from '../../records/packages/lookahead.ts';
import { beginsAsTar, readTar } from '../../records/packages/tar.ts';
import { readZip } from '../../records/packages/zip.ts';
import { IngestFailure } from '../ingest-failure.ts';
import type { PlatformFile } from '../manifest.ts';
import { OtherHashes } from './other-hashes.ts';

/** A file in a bundle. */
export interface BundledFile {
  /** Relative, with `/`; checked to lead nowhere else. */
  readonly name: string;
  /** Bytes. */
  readonly size: number;
  readonly hashes: Required<Hashes>;
  readonly otherHashes?: Readonly<Record<string, string>>;
}

export interface BundleLimits {
  readonly entries: number;
  /** Unpacked bytes of all files. */
  readonly bytes: number;
}

interface BundleEntry {
  readonly name: string;
  readonly isFolder: boolean;
  /** Why it cannot be read. */
  readonly problem?: string | undefined;
  readonly bytes: AsyncIterable<Buffer>;
}

/** Enough to recognize what it is: a tar has its name in its first block. */
const HEAD_BYTES = 512;

/**
 * Reads and hashes the files in a bundle: a ZIP, a tar, or a tar in gzip. A package in it is a file (D14).
 * @param wanted files whose platforms state digests of other kinds, which are computed, too
 * @throws IngestFailure `bad-bundle`: damaged, encrypted, with links or paths out of it, or with too much in it
 */
export async function* readBundle(
  ranges: ByteRanges,
  wanted: readonly PlatformFile[],
  limits: BundleLimits,
): AsyncGenerator<BundledFile, void, undefined> {
  let entries = 0;
  let left = limits.bytes;
  try {
    for await (const { name, isFolder, problem, bytes } of entriesOf(ranges)) {
      entries += 1;
      if (entries > limits.entries) throw new DamagedFile(`it has more than ${formatCount(limits.entries)} files`);
      const safe = safeName(name);
      if (problem !== undefined) throw new DamagedFile(`${safe}: ${problem}`);
      if (isFolder) continue;
      const file = await hashed(bytes, wanted, left, limits);
      left -= file.size;
      yield { name: safe, ...file };
    }
  } catch (error) {
    if (!(error instanceof DamagedFile)) throw error;
    throw new IngestFailure('bad-bundle', `the bundle cannot be used: ${error.message}. ${ADVICE}`, { cause: error });
  }
}

const ADVICE = 'Try again, or ingest without --bundle where the platform has single files';

async function* entriesOf(ranges: ByteRanges): AsyncGenerator<BundleEntry, void, undefined> {
  const input = new Lookahead(ranges.read(0, ranges.length));
  try {
    const head = await input.peek(HEAD_BYTES);
    const magic = head.toString('latin1', 0, 4);
    if (magic === 'PK\x03\x04' || magic === 'PK\x05\x06') yield* readZip(ranges);
    else if (magic.startsWith(GZIP_MAGIC)) yield* inTar(new Lookahead(gunzip(input)));
    else yield* inTar(input);
  } finally {
    await input.close();
  }
}

async function* inTar(input: Lookahead): AsyncGenerator<BundleEntry, void, undefined> {
  try {
    if (!beginsAsTar(await input.peek(HEAD_BYTES))) {
      throw input.damage ?? new DamagedFile('it is neither a ZIP nor a tar, as its first bytes show');
    }
    for await (const { name, kind, bytes } of readTar(input)) {
      const problem = kind === 'file' || kind === 'folder' ? undefined : `it is a ${kind} entry of a tar, and no file`;
      yield { name, isFolder: kind === 'folder', problem, bytes };
    }
  } finally {
    await input.close();
  }
}

async function hashed(
  bytes: AsyncIterable<Buffer>,
  wanted: readonly PlatformFile[],
  left: number,
  limits: BundleLimits,
): Promise<Omit<BundledFile, 'name'>> {
  const hashes = new RunningHashes(HASH_ALGORITHMS);
  const others = new OtherHashes(wanted);
  let size = 0;
  for await (const chunk of bytes) {
    size += chunk.length;
    if (size > left) throw new DamagedFile(`it unpacks to more than ${formatBytes(limits.bytes)}`);
    hashes.update(chunk);
    others.update(chunk);
  }
  return { size, hashes: hashes.digest() as Required<Hashes>, ...others.found() };
}

/** @throws DamagedFile for a path that leads out of the bundle */
function safeName(name: string): string {
  const path = name.replaceAll('\\', '/').replace(/^(?:\.\/)+/, '');
  const isOut = path.startsWith('/') || /^[A-Za-z]:/.test(path) || path.split('/').includes('..');
  if (isOut || path.includes('\0'))
    throw new DamagedFile(`it has a file whose path leads out of it: ${JSON.stringify(name)}`);
  return path;
}
