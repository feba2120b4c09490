import { mkdtemp, realpath, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { PlaceOptions, StoreKind, StorePlace } from './each-store.ts';
import {
  type FinishedRun,
  killTidemarks,
  type RunningTidemark,
  type RunOptions,
  runProcess,
  runTidemark,
  startProcess,
  startTidemark,
} from './run-tidemark.ts';

type Options = Omit<RunOptions, 'cwd'>;

/** A working directory for commands, with a store of its own. The caller closes it in `afterEach`. */
export class Workplace {
  readonly folder: string;
  readonly #kind: StoreKind;
  #store: StorePlace;

  private constructor(kind: StoreKind, folder: string, options?: PlaceOptions) {
    this.folder = folder;
    this.#kind = kind;
    this.#store = kind.place(join(folder, 'data'), options);
  }

  static async make(kind: StoreKind, options?: PlaceOptions): Promise<Workplace> {
    return new Workplace(kind, await realpath(await mkdtemp(join(tmpdir(), 'tidemark-'))), options);
  }

  get store(): StorePlace {
    return this.#store;
  }

  /** Another store, before there is one: its files are in the data folder that a test chooses. */
  async placeStoreIn(dataFolder: string): Promise<void> {
    await this.#store.dispose();
    this.#store = this.#kind.place(dataFolder);
  }

  /** Runs a command to its end. */
  run(args: readonly string[], options?: Options): Promise<FinishedRun> {
    return runTidemark(args, this.#here(options));
  }

  /** Runs a command to its end in a process of its own. */
  runProcess(args: readonly string[], options?: Options): Promise<FinishedRun> {
    return runProcess(args, this.#here(options));
  }

  /** Starts a command in this process. */
  start(args: readonly string[], options?: Options): RunningTidemark {
    return startTidemark(args, this.#here(options));
  }

  /** Starts a command in a process of its own: for what only a process shows, or a signal does to it. */
  startProcess(args: readonly string[], options?: Options): RunningTidemark {
    return startProcess(args, this.#here(options));
  }

  /** Ends every program that runs, and removes the store and the folder. */
  async close(): Promise<void> {
    await killTidemarks();
    await this.store.dispose();
    await rm(this.folder, { recursive: true, force: true });
  }

  #here({ env, ...rest }: Options = {}): RunOptions {
    return { ...rest, cwd: this.folder, env: { ...this.store.environment, ...env } };
  }
}
