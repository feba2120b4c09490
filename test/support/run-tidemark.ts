import { type ChildProcess, spawn } from 'node:child_process';
import { PassThrough } from 'node:stream';
import { text } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';
import { runCli } from '../../src/cli/run-cli.ts';

export const MAIN = fileURLToPath(new URL('../../src/main.js', import.meta.url));
/** Milliseconds; generous, because a machine that runs tests may be busy. */
const PATIENCE = 120_000;

export interface RunOptions {
  /** The working directory. */
  readonly cwd: string;
  readonly env?: Readonly<Record<string, string>>;
  /** What it reads from standard input, which then ends unless it is left open. */
  readonly input?: string;
  readonly leaveInputOpen?: boolean;
}

export interface FinishedRun {
  /** Null when a signal ended it. */
  readonly exitCode: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

/**
 * Runs a command line to its end, in this process: to start one for each of a thousand commands would take most of the time of the tests.
 * What only a process shows is tested with `startTidemark` and `runProcess`.
 */
export async function runTidemark(args: readonly string[], options: RunOptions): Promise<FinishedRun> {
  const { cwd, env = {}, input = '' } = options;
  // It is this process that would die there.
  if (env.TIDEMARK_FAILPOINT !== undefined) return runProcess(args, options);
  const stdin = new PassThrough();
  const stdout = new PassThrough();
  const stderr = new PassThrough();
  stdin.end(input);
  const said = Promise.all([text(stdout), text(stderr)]);
  const argv = [process.execPath, MAIN, ...args];
  const environment = { ...cleanEnvironment(), ...env };
  const exitCode = await runCli({ argv, env: environment, cwd: () => cwd, stdin, stdout, stderr });
  stdout.end();
  stderr.end();
  const [out, err] = await said;
  return { exitCode, stdout: out, stderr: err };
}

/** Runs the real program to its end. */
export async function runProcess(args: readonly string[], options: RunOptions): Promise<FinishedRun> {
  const running = startTidemark(args, options);
  const exitCode = await running.exit();
  return { exitCode, stdout: running.stdout, stderr: running.stderr };
}

/** The real program, running as a child process. */
export class RunningTidemark {
  stdout = '';
  stderr = '';
  readonly #child: ChildProcess;
  readonly #exited: Promise<number | null>;
  #look: () => void = () => {};

  constructor(child: ChildProcess) {
    this.#child = child;
    child.stdout?.setEncoding('utf8').on('data', (text: string) => {
      this.stdout += text;
      this.#look();
    });
    child.stderr?.setEncoding('utf8').on('data', (text: string) => {
      this.stderr += text;
      this.#look();
    });
    // `close` comes when its output is read to the end, `exit` may come before.
    this.#exited = new Promise((resolve) => child.once('close', resolve));
  }

  get pid(): number {
    return this.#child.pid!;
  }

  /** Waits until its output matches, and returns the match. Throws when it exits before, or takes too long. */
  async says(pattern: RegExp): Promise<RegExpExecArray> {
    const find = () => pattern.exec(this.stdout) ?? pattern.exec(this.stderr);
    const found = new Promise<RegExpExecArray>((resolve, reject) => {
      this.#look = () => {
        const match = find();
        if (match !== null) resolve(match);
      };
      this.#exited.then(() => reject(new Error(`it exited before it said ${pattern}:\n${this.stdout}${this.stderr}`)));
      this.#look();
    });
    return this.#patiently(found, `it did not say ${pattern}`);
  }

  signal(signal: NodeJS.Signals): void {
    this.#child.kill(signal);
  }

  /** Waits until it exits, and returns its exit code; null when a signal ended it. */
  exit(): Promise<number | null> {
    return this.#patiently(this.#exited, 'it did not exit');
  }

  /** Ends it at once, when it still runs. */
  async kill(): Promise<void> {
    this.#child.kill('SIGKILL');
    await this.#exited;
  }

  async #patiently<Result>(result: Promise<Result>, complaint: string): Promise<Result> {
    let timer: NodeJS.Timeout | undefined;
    const late = new Promise<never>((_, reject) => {
      const fail = () => reject(new Error(`${complaint} in ${PATIENCE} ms:\n${this.stdout}${this.stderr}`));
      timer = setTimeout(fail, PATIENCE);
    });
    try {
      return await Promise.race([result, late]);
    } finally {
      clearTimeout(timer);
    }
  }
}

const started = new Set<RunningTidemark>();

/** Starts the real program. Whoever starts it calls `killTidemarks` in afterEach. */
export function startTidemark(
  args: readonly string[],
  { cwd, env = {}, input = '', leaveInputOpen = false }: RunOptions,
): RunningTidemark {
  const child = spawn(process.execPath, [MAIN, ...args], { cwd, env: { ...cleanEnvironment(), ...env } });
  const running = new RunningTidemark(child);
  started.add(running);
  // Whoever exits without reading its input leaves a broken pipe.
  child.stdin.on('error', () => {});
  if (leaveInputOpen) child.stdin.write(input);
  else child.stdin.end(input);
  return running;
}

/** Ends every program that a test left running. */
export async function killTidemarks(): Promise<void> {
  await Promise.all([...started].map((running) => running.kill()));
  started.clear();
}

/** What the shell or npm of whoever runs the tests has set must not count. */
export function cleanEnvironment(): NodeJS.ProcessEnv {
  return Object.fromEntries(Object.entries(process.env).filter(([name]) => !/^(TIDEMARK|npm)_/.test(name)));
}
