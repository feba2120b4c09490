import {
  chmodSync,
  chownSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { dirname, join, relative, sep } from 'node:path';
import type { Func } from 'mocha';
import { itNeeding } from './it-needing.ts';

const require = createRequire(import.meta.url);

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
    rmSync(path, { recursive: true, force: true });
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

const NOBODY = 65_534;
const isRoot = process.geteuid?.() === 0;

/**
 * A test that calls `whileUnreadable`. Root cannot run it from a checkout that other users cannot read: the threads
 * that it starts as another user would not find their programs.
 */
export function itWithPermissions(title: string, test: Func): void {
  const isReadable = canReadAsNobody(import.meta.filename) && canReadAsNobody(require.resolve('re2js'));
  const missing = isReadable ? undefined : 'needs a checkout that other users than root can read';
  itNeeding({ name: 'readable-checkout', missing }, title, test);
}

/**
 * Does something while a file or folder cannot be read, also when root runs the tests, whom permissions do not bind.
 */
export async function whileUnreadable<Result>(path: string, work: () => Promise<Result>): Promise<Result> {
  const { mode } = statSync(path);
  chmodSync(path, 0);
  try {
    if (isRoot) {
      ownByNobody(join(tmpdir(), relative(tmpdir(), path).split(sep, 1)[0]!));
      process.seteuid?.(NOBODY);
    }
    return await work();
  } finally {
    if (isRoot) process.seteuid?.(0);
    chmodSync(path, mode);
  }
}

/**
 * Gives what only its owner may use, such as temporary folders and stores, to the user that the test goes on as. The
 * rest keeps its ctime: a scan hashes a file again whose ctime is another one.
 */
function ownByNobody(folder: string): void {
  for (const name of ['', ...readdirSync(folder, { encoding: 'utf8', recursive: true })]) {
    const path = join(folder, name);
    if ((lstatSync(path).mode & 0o007) === 0) chownSync(path, NOBODY, NOBODY);
  }
}

function canReadAsNobody(file: string): boolean {
  if (!isRoot) return true;
  process.seteuid?.(NOBODY);
  try {
    return readFileSync(file).length > 0;
  } catch {
    return false;
  } finally {
    process.seteuid?.(0);
  }
}
