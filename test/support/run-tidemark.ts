import { type ChildProcessWithoutNullStreams, spawn } from 'node:child_process';
import { EventEmitter, once } from 'node:events';
import { closeSync, openSync } from 'node:fs';
import { PassThrough, type Readable } from 'node:stream';
import { fileURLToPath } from 'node:url';
import { runCli } from '../../src/cli/run-cli.ts';
import { PROGRAM_CACHE } from './compile-cache.ts';

export const MAIN = fileURLToPath(new URL('../../src/main.js', import.meta.url));
/** Milliseconds; generous, because a machine that runs tests may be busy. */
const TIMEOUT_MS = 120_000;

export interface RunOptions {
  /** The working directory. */
  readonly cwd: string;
  /** Beside what every process has, or with undefined without it. */
  readonly env?: Readonly<Record<string, string | undefined>>;
  /** What it reads from standard input, which then ends unless it is left open. */
  readonly input?: string;
  readonly leaveInputOpen?: boolean;
  /** Gets standard error, which is otherwise read. Only for a process of its own. */
  readonly stderrFile?: string;
  /** Another program than that of the checkout. Only for a process of its own. */
  readonly main?: string;
  /** Milliseconds that it may take, when it has more to do than others. */
  readonly timeout?: number;
}

export interface FinishedRun {
  /** Null when a signal ended it. */
  readonly exitCode: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

/**
 * Runs a command line to its end, in this process: to start one for each of a thousand commands would take most of the
 * time of the tests. What only a process shows is tested with `startProcess` and `runProcess`.
 */
export async function runTidemark(args: readonly string[], options: RunOptions): Promise<FinishedRun> {
  if (mayKillItself(options)) return runProcess(args, options);
  const command = commandHere(args, inputOf(options));
  const running = new RunningTidemark(command);
  const exitCode = await command.exited;
  return { exitCode, stdout: running.stdout, stderr: running.stderr };
}

/** Runs the real program to its end. */
export async function runProcess(args: readonly string[], options: RunOptions): Promise<FinishedRun> {
  const running = startProcess(args, options);
  const exitCode = await running.exit(options.timeout);
  return { exitCode, stdout: running.stdout, stderr: running.stderr };
}

/** A failpoint stops or kills the process that it is in. */
function mayKillItself({ env }: RunOptions): boolean {
  return env?.TIDEMARK_FAILPOINT !== undefined;
}

/** A command under way: in a process of its own, or in this one. */
export interface Command {
  /** Of the process that it runs in. */
  readonly pid: number;
  readonly stdout: Readable;
  readonly stderr: Readable;
  /** Its exit code, when its output was read to the end; null when a signal ended it. */
  readonly exited: Promise<number | null>;
  signal(signal: NodeJS.Signals): void;
  /** Ends it as fast as it can be ended. */
  kill(): void;
}

/** A command that runs, with what it has written so far. */
export class RunningTidemark {
  stdout = '';
  stderr = '';
  readonly #command: Command;
  #look: () => void = () => {};

  constructor(command: Command) {
    this.#command = command;
    command.stdout.setEncoding('utf8').on('data', (text: string) => {
      this.stdout += text;
      this.#look();
    });
    command.stderr.setEncoding('utf8').on('data', (text: string) => {
      this.stderr += text;
      this.#look();
    });
  }

  get pid(): number {
    return this.#command.pid;
  }

  /** Waits until its output matches, and returns the match. Throws when it exits before, or takes too long. */
  async says(pattern: RegExp): Promise<RegExpExecArray> {
    const find = () => pattern.exec(this.stdout) ?? pattern.exec(this.stderr);
    const found = new Promise<RegExpExecArray>((resolve, reject) => {
      this.#look = () => {
        const match = find();
        if (match !== null) resolve(match);
      };
      this.#command.exited
        .then(() => reject(new Error(`it exited before it said ${pattern}:\n${this.stdout}${this.stderr}`)))
        .catch(reject);
      this.#look();
    });
    return this.#withinTimeout(found, `it did not say ${pattern}`);
  }

  signal(signal: NodeJS.Signals): void {
    this.#command.signal(signal);
  }

  /** Waits until it exits, and returns its exit code; null when a signal ended it. */
  exit(timeout?: number): Promise<number | null> {
    return this.#withinTimeout(this.#command.exited, 'it did not exit', timeout);
  }

  /** Ends it at once, when it still runs. */
  async kill(): Promise<void> {
    this.#command.kill();
    await this.#command.exited;
  }

  async #withinTimeout<Result>(result: Promise<Result>, complaint: string, ms = TIMEOUT_MS): Promise<Result> {
    let timer: NodeJS.Timeout | undefined;
    const late = new Promise<never>((_, reject) => {
      const fail = () => reject(new Error(`${complaint} in ${ms} ms:\n${this.stdout}${this.stderr}`));
      timer = setTimeout(fail, ms);
    });
    try {
      return await Promise.race([result, late]);
    } finally {
      clearTimeout(timer);
    }
  }
}

const started = new Set<RunningTidemark>();

/** Starts a command in this process, which takes a tenth of the time. Its caller calls `killTidemarks` in afterEach. */
export function startTidemark(args: readonly string[], options: RunOptions): RunningTidemark {
  if (mayKillItself(options)) return startProcess(args, options);
  return remember(commandHere(args, inputOf(options)));
}

/**
 * Starts the real program: for what only a process shows, or a signal does to it. Its caller calls `killTidemarks` in
 * afterEach.
 */
export function startProcess(
  args: readonly string[],
  { cwd, env = {}, input = '', leaveInputOpen = false, stderrFile, main = MAIN }: RunOptions,
): RunningTidemark {
  const errors = stderrFile === undefined ? undefined : openSync(stderrFile, 'a');
  const child = spawn(process.execPath, [main, ...args], {
    cwd,
    // It has caches of its own, one for each kind of command.
    env: { ...cleanEnvironment(), NODE_COMPILE_CACHE: undefined, ...env },
    stdio: ['pipe', 'pipe', errors ?? 'pipe'],
  }) as ChildProcessWithoutNullStreams;
  if (errors !== undefined) closeSync(errors);
  // A program that exits without reading its input leaves a broken pipe.
  child.stdin.on('error', () => {});
  if (leaveInputOpen) child.stdin.write(input);
  else child.stdin.end(input);
  return remember({
    pid: child.pid!,
    stdout: child.stdout,
    stderr: child.stderr ?? new PassThrough().end(),
    // `close` comes when its output is read to the end, `exit` may come before.
    exited: new Promise((resolve) => child.once('close', resolve)),
    signal: (signal) => child.kill(signal),
    kill: () => child.kill('SIGKILL'),
  });
}

function remember(command: Command): RunningTidemark {
  const running = new RunningTidemark(command);
  started.add(running);
  return running;
}

function inputOf({ input = '', leaveInputOpen = false, ...options }: RunOptions): StreamedOptions {
  const stdin = new PassThrough();
  if (leaveInputOpen) stdin.write(input);
  else stdin.end(input);
  return { ...options, stdin };
}

interface StreamedOptions extends Pick<RunOptions, 'cwd' | 'env'> {
  readonly stdin: Readable;
}

/** Runs a command line in this process, with streams and signals of its own. */
export function commandHere(args: readonly string[], { cwd, env = {}, stdin }: StreamedOptions): Command {
  const [stdout, stderr] = [new PassThrough(), new PassThrough()];
  const signals = new EventEmitter();
  let signalled = false;
  const send = (signal: NodeJS.Signals) => {
    signalled = true;
    if (signals.listenerCount(signal) > 0) signals.emit(signal);
    // It does not listen yet.
    else signals.once('newListener', () => queueMicrotask(() => signals.emit(signal)));
  };
  const argv = [process.execPath, MAIN, ...args];
  const environment = { ...cleanEnvironment(), ...env };
  const run = async () => {
    const on = signals.on.bind(signals);
    const off = signals.off.bind(signals);
    const exitCode = await runCli({ argv, env: environment, cwd: () => cwd, stdin, stdout, stderr, on, off });
    const isRead = [stdout, stderr].map((stream) => once(stream.end(), 'end'));
    await Promise.all(isRead);
    return exitCode;
  };
  return {
    pid: process.pid,
    stdout,
    stderr,
    exited: run(),
    signal(signal) {
      if (signalled) throw new Error('a second signal would end the tests: use startProcess');
      send(signal);
    },
    kill() {
      if (!signalled) send('SIGTERM');
    },
  };
}

/** Ends every program that a test left running. */
export async function killTidemarks(): Promise<void> {
  await Promise.all([...started].map((running) => running.kill()));
  started.clear();
}

/** Variables of the shell or npm that runs the tests must not count. */
export function cleanEnvironment(): NodeJS.ProcessEnv {
  const kept = Object.entries(process.env).filter(([name]) => !/^(TIDEMARK|npm)_/.test(name));
  return { ...Object.fromEntries(kept), CALLED_AS: 'tidemark', NODE_COMPILE_CACHE: PROGRAM_CACHE };
}
