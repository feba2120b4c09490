import type { ArtifactStore } from '../../../artifacts/artifact-store.ts';
import type { ResourceSet } from '../../../core/resource-set.ts';
import type { ResourceStates } from '../../../stores/resource-states.ts';
import type { LiveResource, OpenedResource, WantedBytes } from '../../served-source.ts';
import type { CompareOptions, Comparison, Mismatch, Source, SourceWatch, SyncStep } from '../../source.ts';
import type { ArtifactRecords } from '../artifact/artifact-records.ts';
import { checkRecords } from './check-records.ts';
import { openRepresentation, REPRESENTATIONS } from './open-representation.ts';

interface StreamRecordsParts {
  readonly index: Pick<ResourceStates, 'read'>;
  readonly records: Pick<ArtifactRecords, 'read'>;
  readonly artifacts: Pick<ArtifactStore, 'get' | 'name'>;
}

/**
 * The source of the records of a stream. Their changes are posted when uploads are processed, so there is nothing to
 * compare; a sync only checks that each record can be read.
 */
export class StreamRecordsSource implements Source {
  readonly longestRetryMs = 60_000;
  readonly representations = REPRESENTATIONS;
  readonly #set: ResourceSet;
  readonly #parts: StreamRecordsParts;

  constructor(set: ResourceSet, parts: StreamRecordsParts) {
    this.#set = set;
    this.#parts = parts;
  }

  async compare(options: CompareOptions): Promise<Comparison | undefined> {
    return options.rehash === true ? { steps: this.#check(options) } : undefined;
  }

  verify(options: Pick<CompareOptions, 'counter' | 'signal'>): AsyncIterable<readonly Mismatch[]> {
    const { index, artifacts } = this.#parts;
    return checkRecords({ set: this.#set.id, index, artifacts }, options);
  }

  async watch(): Promise<SourceWatch> {
    return { async close() {} };
  }

  open(resource: LiveResource, { representation }: Pick<WantedBytes, 'representation'>): Promise<OpenedResource> {
    return openRepresentation(this.#set, resource, { representation, records: this.#parts.records });
  }

  /** Yields no changes: each record that cannot be read is counted as a problem. */
  async *#check(options: CompareOptions): AsyncGenerator<SyncStep> {
    for await (const mismatches of this.verify(options)) {
      for (const { key, message } of mismatches) options.counter.problem({ path: key, problem: message });
      yield { differences: [] };
    }
  }
}
