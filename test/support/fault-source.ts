import assert from 'node:assert/strict';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { type App, openApp } from '../../src/app.ts';
import { setHome } from '../../src/core/set-uris.ts';
import { upsert } from './builders.ts';
import type { StoreKind, StorePlace } from './each-store.ts';
import { findFreePort } from './free-port.ts';
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
import type { SettableClock } from './settable-clock.ts';
import { testConfiguration } from './start-app.ts';

export const SLUG = 'maps';
export const URL_PREFIX = 'http://example.org/set/';

/** Where the documents of the set are published: by no server, so that several can serve them. */
export const BASE_URL = 'http://source.example.org';
export const SET_URL = setHome(BASE_URL, SLUG);

export interface ServingProcess {
  readonly process: RunningTidemark;
  /** Where it listens. */
  readonly url: string;
}

export interface ServeOptions {
  /** Stops or kills it; see src/lib/failpoint.ts. */
  readonly failpoint?: string | undefined;
  /** The folder of its documents when it is not the source's own. */
  readonly dataFolder?: string;
  readonly clock?: SettableClock;
  /** More arguments of `serve`. */
  readonly arguments?: readonly string[];
  /** In this process, which takes a part of the time: for what is neither killed, stopped nor replaced. */
  readonly here?: boolean;
}

/** Milliseconds in which a failpoint must be reached; generous, because a machine that runs tests may be busy. */
const TIMEOUT_MS = 200_000;

export interface Limits {
  readonly pageEntries: number;
  readonly windowChanges: number;
}

const places = new Set<{ close(): Promise<void> }>();

/**
 * A data folder and a store with one small set, and real servers on them. The caller calls `closeFaultSources` in
 * afterEach.
 */
export class FaultSource {
  readonly folder: string;
  #store: StorePlace;
  readonly #closers: (() => Promise<void>)[] = [];

  private constructor(folder: string, store: StorePlace) {
    this.folder = folder;
    this.#store = store;
    this.#closers.push(() => rm(folder, { recursive: true, force: true }), store.dispose);
    places.add(this);
  }

  /**
   * A place without a store.
   * @param storeFolder where the files of the store will be, when not in the source's own folder
   */
  static async makeEmpty(kind: StoreKind, storeFolder?: string): Promise<FaultSource> {
    const folder = await mkdtemp(join(tmpdir(), 'tidemark-'));
    return new FaultSource(folder, kind.place(storeFolder ?? folder));
  }

  /** @param storeFolder where the files of the store are, when not in the source's own folder */
  static async make(kind: StoreKind, limits: Limits, storeFolder?: string): Promise<FaultSource> {
    const source = await FaultSource.makeEmpty(kind, storeFolder);
    await addSet(await source.open(), limits);
    return source;
  }

  /** One that has some full pages, so that a key in the middle splits one. */
  static async makeWithPages(kind: StoreKind): Promise<FaultSource> {
    const source = await FaultSource.make(kind, LIMITS_OF_PAGES);
    await fillPages(await source.open());
    return source;
  }

  get store(): StorePlace {
    return this.#store;
  }

  /** Another store in place of its own, for all that is started from now on. */
  useStore(store: StorePlace): void {
    this.#store = store;
    this.#closers.push(store.dispose);
  }

  /** Opens it within this process. */
  async open(): Promise<App> {
    const { location } = this.store;
    const app = await openApp(testConfiguration(this.folder, { baseUrl: BASE_URL, store: location }));
    this.#closers.push(() => app.close());
    return app;
  }

  /** Starts a server, and resolves when it serves. */
  async serve(options: ServeOptions = {}): Promise<ServingProcess> {
    const port = await findFreePort();
    const start = options.here ? startTidemark : startProcess;
    const process = start(
      [
        'serve',
        '--port',
        String(port),
        '--base-url',
        BASE_URL,
        '--log-level',
        'error',
        '--json',
        ...(options.arguments ?? []),
      ],
      { cwd: this.folder, env: this.environment(options) },
    );
    await process.says(/"event":"serving"/);
    return { process, url: `http://127.0.0.1:${port}` };
  }

  /** Runs a command on it. */
  run(args: readonly string[], input?: string): Promise<FinishedRun> {
    return runTidemark(args, this.#options(input));
  }

  /** Runs a command on it as a process of its own. */
  runProcess(args: readonly string[], input?: string): Promise<FinishedRun> {
    return runProcess(args, this.#options(input));
  }

  /** What names this source to the program. */
  environment({ failpoint, dataFolder = this.folder, clock }: ServeOptions = {}): Readonly<Record<string, string>> {
    const named = {
      TIDEMARK_DATA: dataFolder,
      ...this.store.environment,
      ...clock?.environment,
    };
    return failpoint === undefined ? named : { ...named, TIDEMARK_FAILPOINT: failpoint };
  }

  #options(input: string | undefined): RunOptions {
    return { cwd: this.folder, env: this.environment(), ...(input !== undefined && { input }) };
  }

  async close(): Promise<void> {
    for (const close of this.#closers.splice(0).reverse()) await close();
  }
}

/** So small that the resources of `fillPages` make several pages. */
export const LIMITS_OF_PAGES: Limits = { pageEntries: 20, windowChanges: 150 };

/** Adds the set to a new source, and closes it. */
export async function addSet(app: App, limits: Limits): Promise<void> {
  await app.sets.useBaseUrl(BASE_URL, false);
  await app.sets.add({ slug: SLUG, urlPrefix: URL_PREFIX, ...limits });
  await app.close();
}

/** Makes some full pages, so that a key in the middle splits one, and closes the source. */
export async function fillPages(app: App): Promise<void> {
  const { id } = await app.sets.bySlug(SLUG);
  await app.updater.post(Array.from({ length: 100 }, (_, at) => upsert(id, `k${at * 4}`, { length: at })));
  await app.publishing.publisher.setDocument({ kind: 'resourceList', set: SLUG });
  await app.close();
}

/** Waits until a process is stopped, which is what a failpoint does to it with `stop`. */
export async function untilStopped({ process }: Pick<ServingProcess, 'process'>): Promise<void> {
  const until = Date.now() + TIMEOUT_MS;
  for (;;) {
    // proc_pid_stat(5): the state follows the name in parentheses, T is stopped.
    if (/\) T /.test(await readFile(`/proc/${process.pid}/stat`, 'utf8'))) return;
    assert.ok(Date.now() < until, `the failpoint was never reached: ${process.stderr}`);
    await wait(10);
  }
}

/** Ends every process, and removes every source. */
export async function closeFaultSources(): Promise<void> {
  await killTidemarks();
  const all = [...places];
  places.clear();
  for (const source of all) await source.close();
}
