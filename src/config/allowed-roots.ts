import { realpath } from 'node:fs/promises';
import { isAbsolute, relative, resolve } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import { TidemarkError } from '../core/errors.ts';
import { isS3, parseS3Location } from '../lib/s3/s3-location.ts';

/**
 * Requires that a root is one of some folders and bucket prefixes, or below one. The file system is not read for any
 * other root: an error must not reveal what exists.
 * @param root an absolute path of a folder, or `s3://bucket/prefix`
 * @throws TidemarkError `forbidden`, which does not repeat what is allowed
 */
export async function requireAllowedRoot(root: string, allowed: readonly string[]): Promise<void> {
  if (isS3(root)) {
    if (allowed.some((above) => isS3(above) && isBucketBelow(root, above))) return;
  } else {
    const folders = await Promise.all(allowed.filter((above) => !isS3(above) && !isWeb(above)).map(namesOf));
    if (folders.flat().some((above) => isFolderBelow(root, above)) && (await isReallyBelow(root, folders.flat())))
      return;
  }
  throw new TidemarkError(
    'forbidden',
    'this server may not publish that root: name it, or a folder above it, in the setting apiRoots (--api-roots), or add the set with "tidemark sets add" on the machine itself',
    { field: 'root' },
  );
}

/** The given path and the real path of a folder. */
async function namesOf(folder: string): Promise<readonly string[]> {
  const real = await realpath(folder).catch(() => folder);
  return [resolve(folder), real];
}

/** A link may lead elsewhere. A missing folder is reported by the caller, which checks that next. */
async function isReallyBelow(root: string, folders: readonly string[]): Promise<boolean> {
  const real = await realpath(root).catch(() => undefined);
  return real === undefined || folders.some((above) => isFolderBelow(real, above));
}

function isFolderBelow(folder: string, above: string): boolean {
  const path = relative(above, folder);
  return path !== '..' && !/^\.\.[\\/]/.test(path) && !isAbsolute(path);
}

/** The server, the credentials and all other settings must be those of the allowed location. */
function isBucketBelow(root: string, above: string): boolean {
  const { prefix, ...given } = parseS3Location(root);
  const { prefix: allowedPrefix, ...allowed } = parseS3Location(above);
  return isDeepStrictEqual(given, allowed) && prefix.startsWith(allowedPrefix);
}

/**
 * Requires that the URL of a source is below one of some URLs. Otherwise a client could make the server send requests
 * to any address.
 * @throws TidemarkError `forbidden`
 */
export function requireAllowedSource(url: string, allowed: readonly string[]): void {
  if (allowed.some((above) => isWeb(above) && isUrlBelow(url, new URL(above).href))) return;
  throw new TidemarkError(
    'forbidden',
    'this server may not copy that source: name it in the setting apiRoots (--api-roots), or add the set with "tidemark sets add" on the machine itself',
    { field: 'from' },
  );
}

export function isWeb(root: string): boolean {
  return /^https?:\/\//i.test(root) && URL.canParse(root);
}

function isUrlBelow(url: string, above: string): boolean {
  return url === above || url.startsWith(above.endsWith('/') ? above : `${above}/`);
}
