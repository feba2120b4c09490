import { isMediaType } from '../../core/media-type.ts';
import { excerpt } from '../../lib/excerpt.ts';
import { IngestFailure } from '../ingest-failure.ts';
import type { PlatformFile, StatedHash } from '../manifest.ts';
import { cleanText } from './clean-text.ts';
import { uniquePaths } from './unique-paths.ts';

/** Hexadecimal digits of each hash that is compared with the bytes of a file. */
const DIGITS: Readonly<Record<string, number>> = { md5: 32, sha1: 40, sha224: 56, sha256: 64, sha384: 96, sha512: 128 };

/**
 * Files as a platform describes them, made safe: paths as PlatformFile says, where `extra.path` is what a path was
 * before it had to be changed (d15); URLs of the web; hashes that can be compared, all others in `extra`.
 * @param files with paths, URLs and hashes of any form; a file without an id is named by its position, from 1
 * @throws IngestFailure `bad-manifest` for a path or URL that is refused, `bad-platform-reply` for a hash that is none:
 *   both name the file
 */
export function checkedManifest(files: readonly PlatformFile[]): readonly PlatformFile[] {
  const paths = uniquePaths(files.map(({ path, id }, at) => ({ path: requirePath(path), id: id ?? String(at + 1) })));
  return files.map((file, at) => checkedFile(file, paths[at]!));
}

function checkedFile(file: PlatformFile, path: string): PlatformFile {
  const { size, id, mimetype, platformUrl } = file;
  const { hashes, others } = sortedHashes(file);
  const extra = { ...cleanText(file.extra ?? {}), ...others, ...(path !== file.path && { path: file.path }) };
  return {
    path,
    size,
    hashes,
    mimetype: mimetype !== undefined && isMediaType(mimetype) ? mimetype : undefined,
    platformUrl: platformUrl === undefined ? undefined : requireWebUrl(platformUrl, file.path),
    id,
    ...(Object.keys(extra).length > 0 && { extra }),
  };
}

/** A path that leads out of its folder, or that is not the same for every system, is refused. */
function requirePath(path: string): string {
  const problem = pathProblem(path);
  if (problem === undefined) return path;
  const remedy = 'such a name may overwrite other files; ask the platform to rename it';
  throw new IngestFailure('bad-manifest', `the platform names a file ${excerpt(path)}, which ${problem}: ${remedy}`);
}

function pathProblem(path: string): string | undefined {
  if (path === '') return 'is empty';
  if (path.includes('\0')) return 'contains U+0000';
  if (!path.isWellFormed()) return 'is no valid Unicode';
  if (path.includes('\\')) return 'contains a backslash';
  if (/^(?:[a-z]:)?\//i.test(path)) return 'is absolute';
  const names = path.split('/');
  if (names.includes('')) return 'has an empty name between its slashes';
  if (names.includes('..')) return 'leads out of its folder';
  return names.includes('.') ? 'has the name "."' : undefined;
}

function requireWebUrl(text: string, path: string): string {
  const url = URL.parse(text);
  const isWeb = url?.protocol === 'http:' || url?.protocol === 'https:';
  if (isWeb && url.username === '' && url.password === '') return url.href;
  const shown = isWeb ? 'a URL with a login' : excerpt(text);
  const message = `the platform gives ${shown} as the address of ${excerpt(path)}: only http and https are fetched`;
  throw new IngestFailure('bad-manifest', message);
}

function sortedHashes({ hashes, path }: PlatformFile) {
  const stated = hashes.map(({ algorithm, digest }) => ({
    algorithm: algorithm.toLowerCase().replaceAll('-', ''),
    digest: digest.trim(),
  }));
  const known = new Map<string, StatedHash>();
  for (const hash of stated) if (isComparable(hash)) known.set(hash.algorithm, requireDigest(hash, path));
  const others = stated.filter((hash) => !isComparable(hash)).map(({ algorithm, digest }) => [algorithm, digest]);
  return { hashes: [...known.values()], others: Object.fromEntries(others) as Readonly<Record<string, string>> };
}

const isComparable = ({ algorithm }: StatedHash): boolean => Object.hasOwn(DIGITS, algorithm);

function requireDigest({ algorithm, digest: stated }: StatedHash, path: string): StatedHash {
  const digest = stated.toLowerCase();
  if (digest.length === DIGITS[algorithm] && /^[0-9a-f]+$/.test(digest)) return { algorithm, digest };
  const message = `the platform states ${excerpt(stated)} as the ${algorithm} of ${excerpt(path)}: ${DIGITS[algorithm]} hexadecimal digits are expected`;
  throw new IngestFailure('bad-platform-reply', message);
}
