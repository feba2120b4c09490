import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import type { AsyncFunc } from 'mocha';
import { itNeeding } from './it-needing.ts';

/** Checks of a source from outside that are beside this repository; .ci/run sets these variables where they do. */
const SCRIPTS = { audit: 'TIDEMARK_CHECK_AUDIT_SOURCE', follow: 'TIDEMARK_CHECK_FOLLOW' } as const;
const LIMIT = 300_000;
/** Seconds without a change after which nothing more is to come: on a busy machine, some changes are long in coming. */
const QUIET = 5;

export interface Checked {
  /** 0 when nothing is wrong. */
  readonly exitCode: number;
  readonly output: string;
}

/** Audits a source: every document, every resource of its host, and each set's changes folded against its list. */
export function auditSource(baseUrl: string): Promise<Checked> {
  return runScript('audit', [baseUrl, '--sample', '-1', '--fold']);
}

/**
 * Follows a set while it changes, and compares its copy with the list at the end.
 * @param set its URI, with a slash at its end
 */
export function followSet(set: string): Promise<Checked> {
  return runScript('follow', [set, '--seconds', '0', '--until-quiet', String(QUIET)]);
}

async function runScript(script: keyof typeof SCRIPTS, args: readonly string[]): Promise<Checked> {
  const path = process.env[SCRIPTS[script]]!;
  try {
    const { stdout, stderr } = await promisify(execFile)('python3', [path, ...args], { timeout: LIMIT });
    return { exitCode: 0, output: stdout + stderr };
  } catch (error) {
    const { code, stdout, stderr } = error as { code: unknown; stdout: string; stderr: string };
    if (typeof code !== 'number') throw error;
    return { exitCode: code, output: stdout + stderr };
  }
}

/** A test that needs one of the scripts. */
export function itWithScript(script: keyof typeof SCRIPTS, title: string, test: AsyncFunc): void {
  const missing = process.env[SCRIPTS[script]] === undefined ? `needs ${SCRIPTS[script]}` : undefined;
  itNeeding({ name: 'check-scripts', missing }, title, test);
}
