import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { promisify } from 'node:util';
import type { AsyncFunc } from 'mocha';
import { itNeeding } from './it-needing.ts';

const PROGRAM = 'schemathesis';
const CHECKOUT = join(import.meta.dirname, '../..');
/** Milliseconds for one run, which takes a minute on a machine that does little else. */
const LIMIT = 900_000;

export interface SchemathesisRun {
  /** Where the description of the API is. */
  readonly description: string;
  /** Beside this folder's schemathesis.toml: what its `${…}` mean. */
  readonly environment: Readonly<Record<string, string>>;
  /** Where it puts what it makes. */
  readonly folder: string;
  readonly options?: readonly string[];
}

/**
 * Asks all that a description says, and much that it does not. Resolves with what it found, and whether all was well.
 */
export async function runSchemathesis(run: SchemathesisRun): Promise<{ isWell: boolean; output: string }> {
  const { description, environment, folder, options = [] } = run;
  const config = join(CHECKOUT, 'test/endurance/schemathesis.toml');
  const hooks = join(CHECKOUT, 'test/endurance/schemathesis_hooks.py');
  const args = ['--no-color', '--config-file', config, 'run', description, ...options];
  const env = { ...process.env, ...environment, PYTHONWARNINGS: 'ignore', SCHEMATHESIS_HOOKS: hooks };
  const limits = { cwd: folder, env, timeout: LIMIT, maxBuffer: 64 * 1024 * 1024 };
  try {
    const { stdout, stderr } = await promisify(execFile)(findSchemathesis()!, args, limits);
    return { isWell: true, output: stdout + stderr };
  } catch (error) {
    const { stdout = '', stderr = '', message } = error as Error & { stdout?: string; stderr?: string };
    return { isWell: false, output: stdout + stderr || message };
  }
}

/** In the folder that SCHEMATHESIS_BIN names, where .ci/run puts it, or in PATH. */
function findSchemathesis(): string | undefined {
  const { SCHEMATHESIS_BIN, PATH = '' } = process.env;
  const folders =
    SCHEMATHESIS_BIN === undefined
      ? [join(CHECKOUT, '.services/schemathesis/bin'), ...PATH.split(delimiter).filter((folder) => folder !== '')]
      : [SCHEMATHESIS_BIN];
  return folders.map((folder) => join(folder, PROGRAM)).find((program) => existsSync(program));
}

/** A test that needs schemathesis. */
export function itWithSchemathesis(title: string, test: AsyncFunc): void {
  const hint = `needs ${PROGRAM}, in SCHEMATHESIS_BIN, .services/schemathesis/bin or PATH: pip install schemathesis==4.32.5`;
  const missing = findSchemathesis() === undefined ? hint : undefined;
  itNeeding({ name: PROGRAM, missing }, title, test).timeout(LIMIT);
}
