import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { promisify } from 'node:util';
import type { AsyncFunc } from 'mocha';
import { itNeeding } from './it-needing.ts';

const PROGRAM = 'resync-sync';
const CHECKOUT = join(import.meta.dirname, '../..');
/** Milliseconds for one run, which may copy a thousand files. */
const LIMIT = 300_000;

/** What the client says at its end, such as `SYNCED` or `CHANGES APPLIED`, and of how many resources. */
export interface SyncReport {
  readonly status: string;
  readonly created: number;
  readonly updated: number;
  readonly deleted: number;
  /** Everything that it said. */
  readonly output: string;
}

export interface Since {
  /** The URI of another Change List than the set's `changelist.xml`. */
  readonly changeList?: string;
  /** Another time than the one that it remembers, which is the newest lastmod or datetime that it saw. */
  readonly from?: string;
}

/** The reference client of ResourceSync (PyPI `resync`), which mirrors one set into `<folder>/copy`. */
export class ReferenceClient {
  readonly #set: string;
  readonly #folder: string;

  /** @param set the URI of the set, without a slash at its end */
  constructor(set: string, folder: string) {
    this.#set = set;
    this.#folder = folder;
  }

  /** Where the resources of a set that is served by Tidemark are copied to; names stay percent-encoded. */
  get copy(): string {
    return join(this.#folder, 'copy', 'resources');
  }

  /** Copies everything, and removes from the copy what is not there any more. */
  baseline(): Promise<SyncReport> {
    return this.#run('--baseline', '--delete');
  }

  /** Applies what changed since the last run. */
  incremental({ changeList, from }: Since = {}): Promise<SyncReport> {
    const options = [
      ...(changeList === undefined ? [] : ['--changelist-uri', changeList]),
      ...(from === undefined ? [] : ['--from', from]),
    ];
    return this.#run('--incremental', '--delete', ...options);
  }

  /** Compares the copy with the source, hashes included. */
  audit(): Promise<SyncReport> {
    return this.#run('--audit', '--hash', 'sha-256');
  }

  async #run(...options: readonly string[]): Promise<SyncReport> {
    const args = [...options, this.#set, 'copy'];
    const { stdout, stderr } = await promisify(execFile)(findReferenceClient()!, args, {
      cwd: this.#folder,
      timeout: LIMIT,
      maxBuffer: 16 * 1024 * 1024,
    });
    return readReport(stdout + stderr);
  }
}

/** It exits with 0 whatever happens; what it says last is what counts. */
function readReport(output: string): SyncReport {
  const reports = [
    ...output.matchAll(/^Status: +(.*?) \(.*?created?=(\d+).*?updated?=(\d+).*?deleted?(?: \(--delete\))?=(\d+)\)/gm),
  ].map(([, status = '', ...counts]) => {
    const [created = 0, updated = 0, deleted = 0] = counts.map(Number);
    return { status, created, updated, deleted, output };
  });
  const last = reports.at(-1);
  if (last === undefined || output.includes('FatalError')) throw new Error(`${PROGRAM} failed:\n${output}`);
  return last;
}

/** In the folder that RESYNC_BIN names, where .ci/run puts it, or in PATH. */
export function findReferenceClient(): string | undefined {
  const { RESYNC_BIN, PATH = '' } = process.env;
  const folders =
    RESYNC_BIN === undefined
      ? [join(CHECKOUT, '.services/resync/bin'), ...PATH.split(delimiter).filter((folder) => folder !== '')]
      : [RESYNC_BIN];
  return folders.map((folder) => join(folder, PROGRAM)).find((program) => existsSync(program));
}

/** A test that needs the reference client. */
export function itWithReferenceClient(title: string, test: AsyncFunc): void {
  const hint = `needs ${PROGRAM}, in RESYNC_BIN, .services/resync/bin or PATH: pip install resync==2.0.1`;
  itNeeding({ name: PROGRAM, missing: findReferenceClient() === undefined ? hint : undefined }, title, test);
}
