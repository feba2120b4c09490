import { execFileSync, spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, utimesSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';

/** A folder of its own for each test of a suite, removed after it. */
export interface TempFolder {
  readonly path: string;
  at(path: string): string;
  /** Writes a file and the folders above it. An `mtime` is in seconds since 1970. */
  write(path: string, content?: string | Buffer, mtime?: number): void;
  remove(path: string): void;
}

/** Long ago: a file whose mtime is recent is always hashed again. */
export const LONG_AGO = 1_600_000_000;

/** Call it in `describe`; `path` is there while a test runs. */
export function useTempFolder(): TempFolder {
  let path = '';
  beforeEach(() => {
    path = mkdtempSync(join(tmpdir(), 'folder-'));
  });
  afterEach(() => {
    // Not rmSync: some tests make paths that are too long for it.
    if (path !== '') spawnSync('rm', ['-rf', path]);
  });
  const at = (name: string): string => join(path, name);
  return {
    get path() {
      return path;
    },
    at,
    write(name, content = name, mtime = undefined) {
      mkdirSync(dirname(at(name)), { recursive: true });
      writeFileSync(at(name), content);
      if (mtime !== undefined) utimesSync(at(name), mtime, mtime);
    },
    remove: (name) => rmSync(at(name), { recursive: true }),
  };
}

/** A name of 200 characters. */
export const LONG_NAME = 'long-'.repeat(40);

/**
 * Makes folders so deep that those at the end cannot be read by their path, which works whoever runs the tests: permissions do
 * not bind root. All are called LONG_NAME.
 */
export function makeUnreadableFolder(folder: string): void {
  const program = `for (let i = 0; i < 25; i++) { fs.mkdirSync('${LONG_NAME}'); process.chdir('${LONG_NAME}'); }`;
  execFileSync(process.execPath, ['-e', program], { cwd: folder });
}
