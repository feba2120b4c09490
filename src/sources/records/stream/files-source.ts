import type { ArtifactStore } from '../../../artifacts/artifact-store.ts';
import type { ResourceSet } from '../../../core/resource-set.ts';
import type { ResourceStates } from '../../../stores/resource-states.ts';
import type { LiveResource, OpenedResource } from '../../served-source.ts';
import type { CompareOptions, Comparison, Mismatch, Source, SourceWatch } from '../../source.ts';
import { compareDeliveries, compareNumbers } from './compare-deliveries.ts';
import { numberText } from './delivered-files.ts';
import type { FilesOrigin } from './files-origin.ts';
import { openStoredFile } from './open-stored-file.ts';
import type { StreamWatcher } from './stream-watcher.ts';
import { verifyDeliveries } from './verify-deliveries.ts';

export interface FilesSourceParts {
  readonly index: Pick<ResourceStates, 'read'>;
  readonly artifacts: Pick<ArtifactStore, 'get' | 'name'>;
  readonly watcher: Pick<StreamWatcher, 'subscribe'>;
}

/**
 * Syncs a set with the files of uploads or of dumps. A path of this source is the number of a delivery: while watched,
 * only new deliveries are read. A delivery never changes, so any number of processes may post it. A process deletes a
 * file only when a read that came after the read of the set does not find it.
 */
export class FilesSource implements Source {
  readonly longestRetryMs = 60_000;
  readonly #set: ResourceSet;
  readonly #origin: FilesOrigin;
  readonly #parts: FilesSourceParts;

  constructor(set: ResourceSet, origin: FilesOrigin, parts: FilesSourceParts) {
    this.#set = set;
    this.#origin = origin;
    this.#parts = parts;
  }

  async compare(options: CompareOptions): Promise<Comparison | undefined> {
    const { counter, signal, dryRun = false } = options;
    const found = await this.#origin.current(dryRun);
    if (found === undefined) return undefined;
    const { deliveries, posting, isNew } = found;
    const { index } = this.#parts;
    const compared = { index, set: this.#set.id, deliveries, counter, signal };
    const numbers = isNew ? undefined : numbersOf(options.under);
    if (numbers === undefined) return { steps: compareDeliveries(compared), ...posting };
    const differences = await compareNumbers(compared, numbers);
    return differences.length === 0 ? undefined : { steps: once({ differences }), ...posting };
  }

  async *verify(options: Pick<CompareOptions, 'counter' | 'signal'>): AsyncGenerator<readonly Mismatch[]> {
    const found = await this.#origin.current(true);
    if (found === undefined) return;
    const { index, artifacts } = this.#parts;
    const { deliveries } = found;
    yield* verifyDeliveries({ index, artifacts, set: this.#set.id, deliveries }, options);
  }

  watch(onChange: (path: string) => void): Promise<SourceWatch> {
    return this.#parts.watcher.subscribe({
      onDocument: (document) => {
        const number = this.#origin.deliveryIn(document);
        if (number !== undefined) onChange(number === 'all' ? '' : numberText(number));
      },
    });
  }

  async open(resource: LiveResource): Promise<OpenedResource> {
    return openStoredFile(resource, this.#parts.artifacts);
  }
}

/** The numbers of the paths; undefined to compare all. */
function numbersOf(under: readonly string[] | undefined): readonly number[] | undefined {
  const numbers = under?.map((path) => (/^\d{9}$/.test(path) ? Number(path) : undefined));
  return numbers?.every((number) => number !== undefined) ? numbers : undefined;
}

async function* once<Item>(item: Item): AsyncGenerator<Item> {
  yield item;
}
