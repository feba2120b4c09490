/** The code of an error of the operating system, such as `ENOENT`. */
export function errorCode(error: unknown): string | undefined {
  return error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : undefined;
}

/** Whether an error means that the path does not exist. */
export function isGone(error: unknown): boolean {
  const code = errorCode(error);
  return code === 'ENOENT' || code === 'ENOTDIR';
}

/** Whether the symbolic links of a path form a loop. */
export function isLinkLoop(error: unknown): boolean {
  return errorCode(error) === 'ELOOP';
}

const REASONS: Readonly<Record<string, string>> = {
  ENOENT: 'it does not exist',
  ENOTDIR: 'a part of its path is not a folder',
  EISDIR: 'it is a folder',
  EEXIST: 'it exists already',
  ENOTEMPTY: 'it is not empty',
  EACCES: 'permission denied',
  EPERM: 'not permitted',
  ELOOP: 'too many symbolic links',
  ENAMETOOLONG: 'its path is too long',
  EMFILE: 'too many open files',
  ENFILE: 'too many open files',
  EIO: 'the disk reports an error',
  ENOSPC: 'the disk is full',
  EDQUOT: 'the quota is used up',
  EROFS: 'the file system is read-only',
  ESTALE: 'the network file system lost it',
};

/** The reason of an error, as text that names no path of this machine. */
export function reasonOf(error: unknown): string {
  const code = errorCode(error);
  if (code !== undefined) return `${REASONS[code] ?? 'it failed'} (${code})`;
  return error instanceof Error ? error.message : String(error);
}
