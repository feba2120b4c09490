import { TidemarkError } from '../../core/errors.ts';
import { traitsOf } from '../../core/origin.ts';
import { Mutex } from '../../lib/calls/mutex.ts';
import { formatCount } from '../../lib/format-count.ts';
import type { ContentRoot } from '../content-root.ts';
import type { LeavesOut, LiveResource, OpenedResource, WantedBytes } from '../served-source.ts';
import type { CompareOptions, Comparison, Mismatch, Source, SourceProblem, SourceWatch } from '../source.ts';
import type { SyncSummary } from '../sync-counter.ts';
import { type ComparedFiles, compareFiles } from './compare-files.ts';
import type { FileMemory } from './file-memory.ts';
import { openFile } from './open-file.ts';
import { verifyFiles } from './verify-files.ts';

const mutexes = new WeakMap<FileMemory, Mutex>();

/** Syncs with the files of a folder or a bucket: any content root. */
export class FileSource implements Source {
  readonly #files: ComparedFiles;

  constructor(files: ComparedFiles) {
    this.#files = files;
  }

  get longestRetryMs(): number {
    return this.#files.root.longestRetryMs ?? 1_000;
  }

  get root(): ContentRoot {
    return this.#files.root;
  }

  /**
   * Runs one comparison of a root at a time, in the order of the calls. If two ran at once, the one that listed first
   * could post last, and delete what was created meanwhile.
   */
  async compare(options: CompareOptions): Promise<Comparison> {
    const { memory } = this.#files;
    const mutex = mutexes.get(memory) ?? new Mutex();
    mutexes.set(memory, mutex);
    const release = await mutex.acquire(options.signal);
    let left = () => {};
    const end = () => {
      left();
      release();
    };
    try {
      if (isWhole(options)) left = (await this.#files.root.beginScan?.(options.signal)) ?? left;
      if (isWhole(options)) await this.#refresh(options);
      if (options.under === undefined && options.attended !== true) await this.requireFiles();
      return { steps: compareFiles(this.#files, options), end: (summary) => this.#end(options, summary).finally(end) };
    } catch (error) {
      end();
      throw error;
    }
  }

  verify(options: Pick<CompareOptions, 'counter' | 'signal'>): AsyncIterable<readonly Mismatch[]> {
    return verifyFiles(this.#files, options);
  }

  watch(onChange: (path: string) => void, onProblem: (problem: SourceProblem) => void): Promise<SourceWatch> {
    return this.#files.root.watch(onChange, onProblem);
  }

  open(resource: LiveResource, wanted: WantedBytes): Promise<OpenedResource> {
    return openFile(this.#files, resource, wanted);
  }

  leavesOut(): Promise<LeavesOut> {
    return this.#files.root.leavesOut();
  }

  async #end({ under, dryRun }: CompareOptions, summary: SyncSummary | undefined): Promise<void> {
    if (summary !== undefined && under === undefined && !dryRun) await this.#files.versions?.onAllKept();
  }

  async #refresh({ counter, signal, dryRun }: CompareOptions): Promise<void> {
    const { root } = this.#files;
    if (root.refresh === undefined || dryRun) return;
    await root.refresh((progress) => counter.reach(progress), signal);
    // Resets the counter: it may have counted the refresh of a copy.
    counter.reach({ files: 0, hashed: 0, bytes: 0 });
  }

  /**
   * Refuses a root that had files and has none that is published: most likely, it is a mount point whose disk is
   * missing, or a pattern leaves out more than was meant.
   * @throws TidemarkError `unavailable`
   */
  async requireFiles(): Promise<void> {
    const { root, index, set } = this.#files;
    if (root.knowsEmpty || !(await root.isEmpty())) return;
    const { resources } = await index.summary(set.id);
    if (resources === 0) return;
    throw new TidemarkError(
      'unavailable',
      `the root ${traitsOf(set.origin).root} is empty, or all of it is left out, and the set has resources of it (${formatCount(resources)}): nothing is deleted; if that is meant, run "tidemark scan ${set.slug}"`,
    );
  }
}

function isWhole({ under }: CompareOptions): boolean {
  return under === undefined || under.includes('');
}
