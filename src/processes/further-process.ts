import { type ChildProcess, fork } from 'node:child_process';
import { extname } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { TidemarkError } from '../core/errors.ts';
import type { AskedOfFirst, AskedOfFurther, Assignment } from './messages.ts';
import { type Answers, ProcessChannel } from './process-channel.ts';

const FILE = new URL(`../serving-process${extname(import.meta.url)}`, import.meta.url);
/** Milliseconds that it has to end when it is asked to: it answers what it is being asked, and closes everything. */
const STOP_LIMIT = 25_000;

/** A further process of this server, as the first one sees it. */
export class FurtherProcess {
  readonly channel: ProcessChannel<AskedOfFurther, AskedOfFirst>;
  /** Resolves when it has ended, with how: for a log. */
  readonly ended: Promise<string>;
  readonly #child: ChildProcess;

  constructor(answers: Answers<AskedOfFirst>) {
    // Its log goes where that of this one goes. What it prints is for nobody.
    this.#child = fork(FILE, { stdio: ['ignore', 'ignore', 'inherit', 'ipc'], serialization: 'advanced' });
    this.channel = new ProcessChannel(this.#child, answers);
    this.ended = howItEnded(this.#child);
  }

  /** Resolves when it serves. @throws TidemarkError that says why it cannot; it has ended then */
  async serve(assignment: Assignment): Promise<void> {
    try {
      await this.channel.ask('serve', assignment);
    } catch (error) {
      const hasAnswered = this.#child.connected;
      this.kill();
      const how = await this.ended;
      if (hasAnswered) throw error;
      throw new TidemarkError('unavailable', `a further process of this server ended before it served (${how})`);
    }
  }

  /** Ends it at once. */
  kill(): void {
    this.#child.kill('SIGKILL');
  }

  /** Resolves when it has ended, in order if it can in time. */
  async stop(): Promise<void> {
    // That is what it would see, too, if this process were no more.
    if (this.#child.connected) this.#child.disconnect();
    const limit = new AbortController();
    const late = wait(STOP_LIMIT, undefined, { signal: limit.signal }).then(
      () => this.kill(),
      () => {},
    );
    await Promise.race([this.ended, late]);
    limit.abort();
    await this.ended;
  }
}

function howItEnded(child: ChildProcess): Promise<string> {
  return new Promise((resolve) => {
    child.once('exit', (code, signal) => resolve(signal ?? `exit code ${code}`));
    child.on('error', ({ message }) => {
      // What has no process does not exit. Any other fault shows in what is asked of it.
      if (child.pid === undefined) resolve(`it could not be started: ${message}`);
    });
  });
}
