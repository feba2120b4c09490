import { setTimeout as wait } from 'node:timers/promises';
import type { Taken } from '../access/sender-limits.ts';
import type { Configuration } from '../config/configuration.ts';
import { countsOf, type ProcessFigures } from '../observe/metrics/process-figures.ts';
import { FurtherProcess } from './further-process.ts';
import { type AskedOfFirst, assignment } from './messages.ts';

/** Milliseconds before one that has ended is started again; twice as long each time that it ends soon. */
const BREATH = { first: 500, most: 30_000 };
/** Milliseconds after which one that ends has not ended soon. */
const SOON = 60_000;
/** Milliseconds in which each has to tell its figures. */
const PATIENCE = 3_000;

/** What the first process does for the others. */
export interface FirstProcess {
  /** With the port and the base URL that it serves. */
  readonly configuration: Configuration;
  readonly scanPaths: (asked: AskedOfFirst['scan-paths']['ask']) => Promise<AskedOfFirst['scan-paths']['answer']>;
  readonly figures: () => Promise<ProcessFigures>;
  /** Counts what another process let senders have. */
  readonly note: (taken: readonly Taken[]) => void;
  /** One has ended, or could not be started again. It is tried again after so many milliseconds. */
  readonly onEnded: (number: number, how: string, breath: number) => void;
}

/** The processes that answer requests on the port of this one. They serve, and do nothing else: roots and archive are kept by this one. */
export class FurtherProcesses {
  readonly #first: FirstProcess;
  readonly #running = new Map<number, FurtherProcess>();
  /** What each had counted when it told last. */
  readonly #counted = new Map<number, ProcessFigures>();
  /** What those had counted that have ended, all together. */
  #ended: ProcessFigures | undefined;
  readonly #stopping = new AbortController();
  #following: readonly Promise<void>[] = [];
  readonly #killAll = () => {
    for (const one of this.#running.values()) one.kill();
  };

  constructor(first: FirstProcess) {
    this.#first = first;
  }

  /** Resolves when all serve. @throws TidemarkError that says why one of them cannot */
  async start(): Promise<void> {
    // A second signal ends this process at once, and all of them with it.
    process.once('exit', this.#killAll);
    const numbers = Array.from({ length: this.#first.configuration.processes - 1 }, (_, before) => before + 1);
    const started = await Promise.all(numbers.map((number) => this.#start(number)));
    this.#following = started.map((one, before) => this.#follow(before + 1, one));
  }

  /** What they tell of themselves, and what those have counted that have ended. */
  async figures(exceptOf?: number): Promise<readonly ProcessFigures[]> {
    const asked = [...this.#running].filter(([number]) => number !== exceptOf);
    const told = await Promise.all(asked.map(([number, process]) => this.#ask(number, process)));
    // One that did not answer, or has ended meanwhile, has still counted what it told before.
    const known = asked.map(([number, process], at) => {
      return (this.#running.get(number) === process ? told[at] : undefined) ?? this.#counted.get(number);
    });
    return [...known, this.#ended].filter((figures) => figures !== undefined);
  }

  /** Tells them what senders were let have elsewhere. */
  note(taken: readonly Taken[], exceptTo?: number): void {
    for (const [number, { channel }] of this.#running) {
      // Who has ended need not know.
      if (number !== exceptTo) channel.ask('taken', taken).catch(() => {});
    }
  }

  /** Resolves when all have ended. */
  async stop(): Promise<void> {
    this.#stopping.abort();
    await Promise.all([...this.#running.values()].map((one) => one.stop()));
    await Promise.all(this.#following);
    process.off('exit', this.#killAll);
  }

  async #start(number: number): Promise<FurtherProcess> {
    const { configuration, scanPaths, figures, note } = this.#first;
    const started = new FurtherProcess({
      'figures-of-others': async () => {
        const [own, others] = await Promise.all([figures(), this.figures(number)]);
        return [own, ...others];
      },
      'scan-paths': scanPaths,
      taken: (taken) => {
        note(taken);
        this.note(taken, number);
      },
    });
    // Known before it serves, so that it is stopped when that is asked for meanwhile.
    this.#running.set(number, started);
    void started.ended.then(() => this.#running.delete(number));
    await started.serve(assignment(number, configuration));
    return started;
  }

  /** Starts it again whenever it ends. */
  async #follow(number: number, first: FurtherProcess): Promise<void> {
    const { signal } = this.#stopping;
    let running: FurtherProcess | undefined = first;
    let breath = BREATH.first;
    while (!signal.aborted) {
      const began = performance.now();
      let how: string;
      try {
        running ??= await this.#start(number);
        how = await running.ended;
      } catch (error) {
        how = (error as Error).message;
      }
      running = undefined;
      if (signal.aborted) return;
      await this.#keepCounts(number);
      if (performance.now() - began > SOON) breath = BREATH.first;
      this.#first.onEnded(number, how, breath);
      await wait(breath, undefined, { signal }).catch(() => {});
      breath = Math.min(2 * breath, BREATH.most);
    }
  }

  async #ask(number: number, { channel }: FurtherProcess): Promise<ProcessFigures | undefined> {
    const limit = new AbortController();
    const late = wait(PATIENCE, undefined, { signal: limit.signal, ref: false }).catch(() => undefined);
    const told = await Promise.race([channel.ask('figures', undefined).catch(() => undefined), late]);
    limit.abort();
    if (told !== undefined) this.#counted.set(number, await countsOf(told));
    return told;
  }

  async #keepCounts(number: number): Promise<void> {
    const counted = this.#counted.get(number);
    if (counted === undefined) return;
    // In one step for whoever asks meanwhile: this waits for nothing but promises that are settled.
    this.#ended = await (this.#ended === undefined ? countsOf(counted) : countsOf(this.#ended, counted));
    this.#counted.delete(number);
  }
}
