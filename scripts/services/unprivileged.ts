import { chmodSync, chownSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname } from 'node:path';

/** The user `nobody`: there on every system, so no user need be made. */
const NOBODY = 65_534;

/** Elasticsearch refuses to run as root. */
export function runsAsRoot(): boolean {
  return process.geteuid?.() === 0;
}

/** For `spawn`: another user than root. */
export function unprivileged(): { readonly uid?: number; readonly gid?: number } {
  return runsAsRoot() ? { uid: NOBODY, gid: NOBODY } : {};
}

/** Gives files to whom `unprivileged` starts processes as. */
export function handOver(...paths: readonly string[]): void {
  if (runsAsRoot()) for (const path of paths) chownSync(path, NOBODY, NOBODY);
}

/** Lets others pass through the temporary folders above `path`, which are their maker's alone. */
export function openTemporaryFolders(path: string): void {
  if (!runsAsRoot()) return;
  for (let at = path; at.startsWith(tmpdir()); at = dirname(at)) chmodSync(at, statSync(at).mode | 0o111);
}

/** Whether others than its owner can pass through all the folders down to `path`. */
export function mayBeReached(path: string): boolean {
  for (let at = path; ; at = dirname(at)) {
    if ((statSync(at).mode & 0o001) === 0) return false;
    if (at === dirname(at)) return true;
  }
}
