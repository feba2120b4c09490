import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { text } from 'node:stream/consumers';

export interface Finished {
  readonly stdout: string;
  /** From its start to its end. */
  readonly seconds: number;
}

export interface ChildOptions {
  readonly env?: NodeJS.ProcessEnv;
  readonly started?: (child: ChildProcess) => void;
  /** With which it may end; 0 unless something else is said. */
  readonly codes?: readonly number[];
}

/** Runs a program to its end. @throws Error when it fails, with what it said */
export async function runChild(
  program: string,
  args: readonly string[],
  { env, started, codes = [0] }: ChildOptions = {},
): Promise<Finished> {
  const start = performance.now();
  const child = spawn(program, args, { stdio: ['ignore', 'pipe', 'pipe'], env: { ...process.env, ...env } });
  started?.(child);
  const ended = once(child, 'close') as Promise<[number | null]>;
  const [stdout, stderr, [code]] = await Promise.all([text(child.stdout), text(child.stderr), ended]);
  const seconds = (performance.now() - start) / 1000;
  if (code === null || !codes.includes(code))
    throw new Error(`${program} ${args.join(' ')} ended with ${code}: ${stderr || stdout}`);
  return { stdout, seconds };
}

/** Runs one of our scripts, which prints one line of JSON. */
export async function runScript<Result>(script: string, options: Readonly<Record<string, unknown>>): Promise<Result> {
  const { stdout } = await runChild(process.execPath, [
    '--max-old-space-size=8000',
    new URL(`../${script}`, import.meta.url).pathname,
    JSON.stringify(options),
  ]);
  return JSON.parse(stdout);
}
