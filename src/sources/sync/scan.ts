import type { ChangeKind } from '../../core/change.ts';
import { entryWeight } from '../../core/entry-weight.ts';
import type { ResourceKey } from '../../core/key.ts';
import type { Resource } from '../../core/resource.ts';
import type { ResourceSet } from '../../core/resource-set.ts';
import type { EventPoster } from '../../stores/event-poster.ts';
import type { ResourceIndex } from '../../stores/resource-index.ts';
import type { ContentRoot, FileEntry } from '../content-root.ts';
import type { FileMemory } from '../file-memory.ts';
import { hashFile } from './scan-hash.ts';
import { Judge } from './scan-judgement.ts';
import { type Finding, ScanPoster } from './scan-poster.ts';
import { type ScanRow, scanRows } from './scan-rows.ts';
import { ScanCounter, type ScanProgress, type ScanSummary } from './scan-summary.ts';
import { inTurn } from './scan-turns.ts';

/** What a scan works on. */
export interface Scanned {
  readonly set: ResourceSet;
  readonly root: ContentRoot;
  readonly memory: FileMemory;
  readonly index: ResourceIndex;
  readonly updater: EventPoster;
}

export interface ScanOptions extends Scanned {
  /** Paths of the root to scan with all that lies below them; the whole root without. */
  readonly under?: readonly string[] | undefined;
  /** Hashes every file, whatever is remembered of it. */
  readonly rehash?: boolean | undefined;
  /** Posts and remembers nothing, and counts what would be done. */
  readonly dryRun?: boolean | undefined;
  /** Problems that the summary lists at most. */
  readonly mostProblems?: number | undefined;
  /** Called at most every 100 milliseconds. */
  readonly onProgress?: ((progress: ScanProgress) => void) | undefined;
  /** Called for every change that was made, or would be. */
  readonly onChange?: ((kind: ChangeKind, key: ResourceKey) => void) | undefined;
  readonly signal?: AbortSignal | undefined;
}

interface FileToHash {
  readonly file: FileEntry;
  readonly resource: Resource | undefined;
}

const PATHS_AT_ONCE = 8;
/** A batch of findings is posted when it has so many, or when so many bytes (256 MB) wait to be read for it. */
const MOST_FINDINGS = 1_000;
const MOST_BYTES = 268_435_456;

/**
 * Compares a root with the state of its set, and posts the differences, when it is its turn. What is below a path that cannot be read is
 * unknown, and stays as it is.
 * @throws TidemarkError `unavailable` when the root is not there, or vanishes meanwhile: then nothing is deleted for its sake;
 *   the signal's reason when it is aborted, after what was being posted is committed
 */
export function scan(options: ScanOptions): Promise<ScanSummary> {
  return inTurn(options.memory, options.signal, () => scanNow(options));
}

async function scanNow(options: ScanOptions): Promise<ScanSummary> {
  const run = new ScanRun(options);
  try {
    for await (const rows of rowsOf(options, outermost(options.under ?? ['']))) await run.take(rows);
    await run.flush();
  } finally {
    await run.finish();
  }
  return run.counter.summary();
}

/** The rows of one path after the other; some begin early, since each waits for an answer of its root and of the store. */
async function* rowsOf(options: ScanOptions, paths: readonly string[]): AsyncGenerator<readonly ScanRow[]> {
  for (let at = 0; at < paths.length; at += PATHS_AT_ONCE) {
    const begun = paths.slice(at, at + PATHS_AT_ONCE).map((path) => {
      const rows = scanRows({ ...options, set: options.set.id }, path);
      const first = rows.next();
      // It is thrown when it is this one's turn; who stops before does not care.
      first.catch(() => {});
      return { rows, first };
    });
    try {
      for (const { rows, first } of begun) {
        const { value, done } = await first;
        if (!done) yield value;
        yield* rows;
      }
    } finally {
      for (const { rows } of begun) await rows.return(undefined);
    }
  }
}

class ScanRun {
  readonly counter: ScanCounter;
  readonly #options: ScanOptions;
  readonly #judge: Judge;
  readonly #poster: ScanPoster;
  #findings: Finding[] = [];
  #toHash: FileToHash[] = [];
  #bytesToRead = 0;

  constructor(options: ScanOptions) {
    const { set, root, rehash = false, dryRun = false, updater, memory, onProgress, onChange } = options;
    this.#options = options;
    this.counter = new ScanCounter(onProgress, options.mostProblems);
    this.#judge = new Judge({ set, rehash, hashes: root.hashes, now: Date.now() });
    this.#poster = new ScanPoster({ updater, memory, counter: this.counter, dryRun, onChange });
  }

  async take(rows: readonly ScanRow[]): Promise<void> {
    this.#options.signal?.throwIfAborted();
    for (const row of rows) {
      this.#takeRow(row);
      const waiting = this.#findings.length + this.#toHash.length;
      if (waiting >= MOST_FINDINGS || this.#bytesToRead >= MOST_BYTES) await this.flush();
    }
  }

  /** Hashes what waits to be hashed, and has it posted while the scan goes on. */
  async flush(): Promise<void> {
    const findings = this.#findings;
    const files = this.#toHash;
    this.#findings = [];
    this.#toHash = [];
    this.#bytesToRead = 0;
    const next = files.values();
    // Every one of them takes the next file when it is done with its last.
    await Promise.all(Array.from({ length: this.#options.root.digestsAtOnce }, () => this.#hashEach(next, findings)));
    await this.#poster.post(findings);
  }

  finish(): Promise<void> {
    return this.#poster.finish();
  }

  #takeRow(row: ScanRow): void {
    const { key, file, resource } = row;
    if (file !== undefined) this.counter.file();
    const judgement = this.#judge.judge(row);
    switch (judgement.todo) {
      case 'nothing':
        if (file !== undefined) this.counter.unchanged();
        break;
      case 'hash':
        this.#toHash.push({ file: judgement.file, resource });
        this.#bytesToRead += judgement.file.toRead ?? judgement.file.length;
        break;
      case 'remember':
        this.counter.unchanged();
        this.#findings.push({ key, remember: judgement.remember });
        break;
      case 'delete':
        this.#findings.push({ key, resource, event: this.#deletion(key) });
        break;
      case 'forget':
        this.#findings.push({ key });
        break;
      case 'report':
        this.counter.problem(judgement.problem);
        break;
    }
  }

  #deletion(key: ResourceKey): NonNullable<Finding['event']> {
    const { id, urlPrefix } = this.#options.set;
    return { set: id, key, state: undefined, weight: entryWeight(urlPrefix, key, undefined) };
  }

  async #hashEach(files: Iterator<FileToHash>, findings: Finding[]): Promise<void> {
    const { set, root, signal } = this.#options;
    for (let next = files.next(); !next.done; next = files.next()) {
      signal?.throwIfAborted();
      const { file, resource } = next.value;
      const hashed = await hashFile({ set, root, file, signal });
      if (hashed === 'left') this.counter.left();
      else if ('problem' in hashed) this.counter.problem(hashed);
      else {
        this.counter.hashed(hashed.remember.length);
        findings.push({ key: hashed.remember.key, resource, ...hashed });
      }
    }
  }
}

/** The paths without those that lie below another one, in order. */
function outermost(paths: readonly string[]): readonly string[] {
  const all = new Set(paths);
  if (all.has('')) return [''];
  return [...all].filter((path) => !ancestors(path).some((above) => all.has(above))).sort();
}

function ancestors(path: string): readonly string[] {
  return [...path.matchAll(/\//g)].map(({ index }) => path.slice(0, index));
}
