import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import type { AsyncFunc, Context } from 'mocha';
import { installAvroTools } from '../../scripts/services/avro-tools.ts';
import { itNeeding } from './it-needing.ts';

const CHECKOUT = join(import.meta.dirname, '../..');
const INTEROP = join(CHECKOUT, 'test/interop');
/** Milliseconds; a new checkout fetches the tools first. */
const TIMEOUT_MS = 300_000;

/** One of avro-tools' commands: where its output goes, and what it is, such as `['tojson', FILE]`. */
export interface ToolRun {
  readonly output: string;
  readonly command: readonly string[];
}

/** Runs commands of Avro's own tools (Java), all in one process. */
export async function runAvroTools(runs: readonly ToolRun[], folder: string): Promise<void> {
  const list = join(folder, 'commands.txt');
  await writeFile(list, runs.map(({ output, command }) => `${[output, ...command].join('\t')}\n`).join(''));
  const jar = await installAvroTools();
  // Without the second compiler and a search of many threads for garbage, it starts sooner.
  const options = ['-XX:TieredStopAtLevel=1', '-XX:+UseSerialGC', '-cp', jar];
  await promisify(execFile)('java', [...options, join(INTEROP, 'AvroTools.java'), list], { timeout: TIMEOUT_MS });
}

export interface FastavroWork {
  readonly write: readonly {
    readonly file: string;
    /** JSON. */
    readonly schema: string;
    readonly codec: string;
    /** A file of records as lines of JSON. */
    readonly lines: string;
  }[];
  readonly read: readonly string[];
}

/** What fastavro (Python) has read of each file: how many records, and the digest of them as lines of JSON. */
export type FastavroFindings = Readonly<Record<string, { readonly count: number; readonly sha256: string }>>;

/** Writes and reads files with fastavro, all in one process. */
export async function runFastavro(work: FastavroWork): Promise<FastavroFindings> {
  const running = promisify(execFile)(findFastavro()!, [join(INTEROP, 'fastavro_files.py')], { timeout: TIMEOUT_MS });
  running.child.stdin!.end(JSON.stringify(work));
  return JSON.parse((await running).stdout);
}

/** A test that needs fastavro. */
export function itWithFastavro(title: string, test: AsyncFunc): void {
  const hint =
    'needs fastavro, in FASTAVRO_BIN or .services/fastavro/bin: pip install fastavro==1.13.1 backports.zstd==1.8.0';
  const missing = findFastavro() === undefined ? hint : undefined;
  itNeeding({ name: 'fastavro', missing }, title, test).timeout(TIMEOUT_MS);
}

/**
 * A test that needs avro-tools: skipped with the reason where they cannot be fetched, but failing where CI should do
 * it.
 */
export function itWithAvroTools(title: string, test: AsyncFunc): void {
  it(title, async function (this: Context) {
    try {
      await installAvroTools();
      await promisify(execFile)('java', ['-version']);
    } catch (error) {
      if (process.env.CI === 'true') throw error;
      console.error(`      ${(error as Error).message}`);
      this.skip();
    }
    await test.call(this);
  }).timeout(TIMEOUT_MS);
}

/** The Python that has it: of the folder that FASTAVRO_BIN names, or of the one that .ci/run makes. */
function findFastavro(): string | undefined {
  const { FASTAVRO_BIN = join(CHECKOUT, '.services/fastavro/bin') } = process.env;
  return [join(FASTAVRO_BIN, 'python3')].find((program) => existsSync(program));
}
