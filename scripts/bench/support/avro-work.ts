import { existsSync } from 'node:fs';
import { join } from 'node:path';
import type { Codec } from '../../../src/artifacts/avro/codecs.ts';
import { runChild } from './child.ts';

/** What a program that writes or reads an Avro file is asked for. */
export interface AvroWork {
  readonly mode: 'write' | 'read';
  readonly file: string;
  /** The file of writeDocuments. */
  readonly documents: string;
  readonly count: number;
  readonly codec: Codec;
}

export interface AvroResult {
  /** Without the start of the program. */
  readonly seconds: number;
  /** Bytes of the file. */
  readonly length: number;
  /** VmHWM of the program, in MB. */
  readonly memory: number;
}

const BENCH = join(import.meta.dirname, '..');
const CHECKOUT = join(BENCH, '../..');

export function runOurs(work: AvroWork): Promise<AvroResult> {
  return run(process.execPath, join(BENCH, 'probes/avro-records.ts'), work);
}

/** @param block bytes after which it begins another block */
export function runFastavro(work: AvroWork, block: number): Promise<AvroResult> {
  return run(fastavroPython(), join(BENCH, 'baselines/fastavro_records.py'), { ...work, block });
}

async function run(program: string, script: string, work: AvroWork & { readonly block?: number }): Promise<AvroResult> {
  const { stdout } = await runChild(program, [script, JSON.stringify(work)]);
  return JSON.parse(stdout);
}

/** The Python that has fastavro. @throws Error that says how to get it */
function fastavroPython(): string {
  const { FASTAVRO_BIN = join(CHECKOUT, '.services/fastavro/bin') } = process.env;
  const python = join(FASTAVRO_BIN, 'python3');
  if (existsSync(python)) return python;
  throw new Error(
    'the baseline needs Python with fastavro 1.13.1: "python3 -m venv .services/fastavro && .services/fastavro/bin/pip install fastavro==1.13.1 backports.zstd==1.8.0", or the bin folder of such an environment in FASTAVRO_BIN',
  );
}
