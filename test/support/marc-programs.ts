import { execFile, spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import type { AsyncFunc } from 'mocha';
import { itNeeding } from './it-needing.ts';

const CHECKOUT = join(import.meta.dirname, '../..');
/** Milliseconds. */
const TIMEOUT_MS = 120_000;
const MOST_OUTPUT_BYTES = 256_000_000;

export interface PymarcWork {
  readonly convert: readonly { readonly from: string; readonly to: string }[];
  readonly list: readonly string[];
}

/** Leader, and fields: tag and value, or tag, indicators, and subfields of code and value. */
export type ListedRecord = readonly [
  string,
  readonly (readonly [string, string] | readonly [string, string, readonly (readonly [string, string])[]])[],
];

/** Converts files with pymarc, and returns what it reads in others; `.xml` is MARCXML, every other name MARC21. */
export async function runPymarc(work: PymarcWork): Promise<Readonly<Record<string, readonly ListedRecord[]>>> {
  const running = promisify(execFile)(findPymarc()!, [join(CHECKOUT, 'test/interop/pymarc_records.py')], {
    timeout: TIMEOUT_MS,
    maxBuffer: MOST_OUTPUT_BYTES,
  });
  running.child.stdin!.end(`${JSON.stringify(work)}\n`);
  return JSON.parse((await running).stdout);
}

/** What `yaz-marcdump` writes to standard output; it must not complain. */
export async function runYazMarcdump(...options: readonly string[]): Promise<Buffer> {
  const limits = { timeout: TIMEOUT_MS, maxBuffer: MOST_OUTPUT_BYTES, encoding: 'buffer' } as const;
  const { stdout, stderr } = await promisify(execFile)('yaz-marcdump', options, limits);
  if (stderr.length > 0) throw new Error(`yaz-marcdump: ${stderr}`);
  return stdout;
}

/** Runs a script with the Python that has pymarc. @param script below the checkout */
export async function runPython(script: string, ...args: readonly string[]): Promise<void> {
  await promisify(execFile)(findPymarc()!, [join(CHECKOUT, script), ...args], { timeout: TIMEOUT_MS });
}

/** A test that needs `pymarc` and `yaz-marcdump`. */
export function itWithMarcPrograms(title: string, test: AsyncFunc): void {
  itNeeding({ name: 'pymarc', missing: missingProgram() }, title, test).timeout(TIMEOUT_MS);
}

function missingProgram(): string | undefined {
  if (findPymarc() === undefined) {
    return 'needs pymarc, in PYMARC_BIN or .services/pymarc/bin: pip install pymarc==5.4.0';
  }
  if (spawnSync('yaz-marcdump', ['-V']).error) return 'needs yaz-marcdump: "apt-get install yaz"';
  return undefined;
}

/** The Python that has it: of the folder that PYMARC_BIN names, or of the one that .ci/run makes. */
function findPymarc(): string | undefined {
  const { PYMARC_BIN = join(CHECKOUT, '.services/pymarc/bin') } = process.env;
  return [join(PYMARC_BIN, 'python3')].find((program) => existsSync(program));
}
