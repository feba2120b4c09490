import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';

const run = promisify(execFile);
const MODEL = join(import.meta.dirname, '../../model/commit-protocol.pml');
const TRAIL = 'commit-protocol.pml.trail';
/** Bytes of output, megabytes of memory, steps, and the base 2 logarithm of slots, that a search may take. */
const LIMITS = { maxBuffer: 64 * 1024 * 1024, memory: 12_000, depth: 5_000, slots: 24 };

const PLAIN = { CRASHES: 0, FAILOVERS: 0, DROPS: 0 } as const;
const APPLYING = { FINE: 1, SEGMENTS: 1, APPLIERS: 2 } as const;

/** What the model is checked with: the macros of the model that differ from their defaults. */
export const INSTANCES = {
  /** Each request is a step of its own; two processes apply, commits are dropped one by one. */
  applying: { ...PLAIN, ...APPLYING, NUMBERS: 2, DROPS: 1 },
  /** Two processes apply commits in any order. */
  'out-of-order': { ...PLAIN, NUMBERS: 3, SEGMENTS: 1, APPLIERS: 2 },
  /** The primary dies after a response was lost. */
  failover: { ...PLAIN, NUMBERS: 3, SEGMENTS: 1, FAILOVERS: 1 },
  /** Three segments, of which two end, are archived and removed. */
  segments: { ...PLAIN, NUMBERS: 4 },
  /** A process crashes while its request is under way. */
  crashes: { ...PLAIN, NUMBERS: 3, CRASHES: 1 },
  /** Those that are checked by hand; most planted mistakes are found in them sooner than in small ones. */
  'larger-applying': { ...APPLYING, NUMBERS: 3 },
  'larger-segments': { ...PLAIN, NUMBERS: 4, CRASHES: 1 },
} as const satisfies Readonly<Record<string, Readonly<Record<string, number>>>>;
export type Instance = keyof typeof INSTANCES;

export interface Checked {
  readonly states: number;
  readonly seconds: number;
  /** The steps that lead to a violated property, one a line; undefined if there are none. */
  readonly counterexample: readonly string[] | undefined;
}

/** The planted mistakes, in the order of their numbers. */
export async function plantedMistakes(): Promise<readonly string[]> {
  const [, list = ''] = (await readFile(MODEL, 'utf8')).split(/^\/\* ---- (?:Planted mistakes|Elasticsearch) ---- /m);
  return [...list.matchAll(/^#define ([A-Z_]+) +\d+ +\/\*/gm)].map(([, name]) => name!);
}

/**
 * Searches all states of an instance of the model, up to the first violated property.
 * @param mistake the name of a planted one
 */
export async function checkModel(instance: Instance, mistake?: string): Promise<Checked> {
  const folder = await mkdtemp(join(tmpdir(), 'model-'));
  const settings = { ...INSTANCES[instance], ...(mistake !== undefined && { MISTAKE: mistake }) };
  const macros = Object.entries(settings).map(([name, value]) => `-D${name}=${value}`);
  const options = { cwd: folder, maxBuffer: LIMITS.maxBuffer };
  try {
    await run('spin', [...macros, '-a', MODEL], options);
    // A mistake is found quickly, so its verifier need not be quick.
    const level = mistake === undefined ? '-O2' : '-O0';
    const compiling = [level, '-w', '-DSAFETY', '-DCOLLAPSE', `-DMEMLIM=${LIMITS.memory}`, '-o', 'pan', 'pan.c'];
    await run('gcc', compiling, options);
    const { stdout } = await run('./pan', [`-m${LIMITS.depth}`, `-w${LIMITS.slots}`], options);
    const counterexample = existsSync(join(folder, TRAIL)) ? await replay(macros, options) : undefined;
    if (counterexample === undefined) requireComplete(stdout);
    return {
      states: figure(stdout, / (\d[\d.e+]*) states, stored/),
      seconds: figure(stdout, /elapsed time (\S+)/),
      counterexample,
    };
  } finally {
    await rm(folder, { recursive: true });
  }
}

/** The lines that the steps print, without repetitions, up to the first violated property. */
async function replay(macros: readonly string[], options: { readonly cwd: string }): Promise<readonly string[]> {
  const { stdout } = await run('spin', [...macros, '-T', '-t', '-k', join(options.cwd, TRAIL), MODEL], options);
  const [steps = ''] = stdout.split('#processes:');
  const lines = steps.split('\n').filter((line) => line !== '');
  const wrong = lines.findIndex((line) => line.startsWith('WRONG'));
  return lines.slice(0, wrong < 0 ? lines.length : wrong + 1).filter((line, at) => line !== lines[at - 1]);
}

function requireComplete(output: string): void {
  if (/errors: 0/.test(output) && !/Search not completed|max search depth too small/.test(output)) return;
  throw new Error(`the search is not complete:\n${output}`);
}

function figure(output: string, pattern: RegExp): number {
  return Number(pattern.exec(output)?.[1]);
}
