import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import type { AsyncFunc } from 'mocha';
import { findFreePort } from './free-port.ts';
import { itNeeding } from './it-needing.ts';
import { until } from './until.ts';

const run = promisify(execFile);
const CHECKOUT = join(import.meta.dirname, '../..');
/** Of the folder that WEB_ARCHIVES_BIN names, or of the one that .ci/run makes. */
const BIN = process.env.WEB_ARCHIVES_BIN ?? join(CHECKOUT, '.services/web-archives/bin');
/** The Python that has them, and `internetarchive`. */
export const PYTHON = join(BIN, 'python');
const TIMEOUT_MS = 120_000;

/** The output of `warcio check`, which compares the digests of each record. Rejects when one is wrong. */
export async function checkWithWarcio(file: string): Promise<string> {
  const { stdout } = await run(join(BIN, 'warcio'), ['check', '-v', file], { timeout: TIMEOUT_MS });
  return stdout;
}

/** A web archive of pywb with one collection, `files`. The caller stops it in `afterEach`. */
export class Wayback {
  /** Without a slash at its end. */
  readonly url: string;
  readonly #child: ChildProcess;

  private constructor(child: ChildProcess, url: string) {
    this.#child = child;
    this.url = url;
  }

  /** @param folder empty, and its own @param warcs files to index */
  static async start(folder: string, warcs: readonly string[]): Promise<Wayback> {
    await run(join(BIN, 'wb-manager'), ['init', 'files'], { cwd: folder, timeout: TIMEOUT_MS });
    await run(join(BIN, 'wb-manager'), ['add', 'files', ...warcs], { cwd: folder, timeout: TIMEOUT_MS });
    const port = await findFreePort();
    const args = ['-p', String(port), '-b', '127.0.0.1'];
    const child = spawn(join(BIN, 'wayback'), args, { cwd: folder, stdio: 'ignore' });
    const url = `http://127.0.0.1:${port}`;
    await until('pywb answers', async () => {
      if (child.exitCode !== null) throw new Error(`wayback ended with ${child.exitCode}`);
      return fetch(`${url}/files/`).then(
        (response) => response.body!.cancel().then(() => true),
        () => false,
      );
    });
    return new Wayback(child, url);
  }

  /** What it replays of a URL, unchanged: `id_`. It does not follow redirects. */
  replay(url: string, timestamp: string): Promise<Response> {
    return fetch(`${this.url}/files/${timestamp}id_/${url}`, { redirect: 'manual' });
  }

  async stop(): Promise<void> {
    if (this.#child.exitCode !== null) return;
    this.#child.kill('SIGKILL');
    await once(this.#child, 'exit');
  }
}

/** A test that needs pywb and warcio. */
export function itWithWebArchives(title: string, test: AsyncFunc): void {
  const missing = existsSync(join(BIN, 'wb-manager'))
    ? undefined
    : 'needs pywb, in WEB_ARCHIVES_BIN or .services/web-archives/bin: pip install pywb, and others as in .ci/run';
  itNeeding({ name: 'web-archives', missing }, title, test).timeout(TIMEOUT_MS);
}
