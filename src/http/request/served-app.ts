import type { TokenRegistry } from '../../access/token-registry.ts';
import type { Configuration } from '../../config/configuration.ts';
import type { ResourceSet } from '../../core/resource-set.ts';
import type { Posting } from '../../ingest/posting.ts';
import type { Sender } from '../../observe/audit/posting-entry.ts';
import type { PostingLog } from '../../observe/audit/posting-log.ts';
import type { AppMetrics } from '../../observe/metrics/app-metrics.ts';
import type { DocumentPublisher } from '../../publish/document-publisher.ts';
import type { SetRegistry } from '../../sets/set-registry.ts';
import type { Records } from '../../sources/artifact/records.ts';
import type { ContentRoot } from '../../sources/content-root.ts';
import type { FileMemory } from '../../sources/files/file-memory.ts';
import type { SourceProblem } from '../../sources/source.ts';
import type { ActivityMemory } from '../../stores/activity-memory.ts';
import type { ResourceIndex } from '../../stores/resource-index.ts';
import type { StoreGauge } from '../../stores/store-gauge.ts';

/** What the server needs of the program. */
export interface ServedApp {
  readonly configuration: Configuration;
  readonly index: ResourceIndex;
  readonly gauge: StoreGauge;
  readonly sets: SetRegistry;
  readonly tokens: TokenRegistry;
  readonly records: Pick<Records, 'read' | 'cursorOf'>;
  readonly publisher: DocumentPublisher;
  readonly postingLog: Pick<PostingLog, 'read'>;
  /**
   * Lets a sender post to a set, measured and logged.
   * @param work its results are those of the posting that it is given
   * @throws TidemarkError as openPosting does, and what the work throws
   */
  receive(
    from: { readonly set: ResourceSet; readonly sender: Sender },
    work: (posting: Posting) => Promise<void>,
  ): Promise<void>;
  /** How many changes sets had in each hour or day. */
  readonly activity: ActivityMemory;
  readonly metrics: AppMetrics;
  /**
   * Scans paths that a notification says have changed. Resolves with their problems.
   * @throws TidemarkError `not-ready` when that takes too long: it is done later; `unavailable` when the root or the
   * store does not answer
   */
  scanPaths(set: ResourceSet, paths: readonly string[]): Promise<readonly SourceProblem[]>;
  /** The content root of a set, and what scans remember of it. The same ones until settings of the set change. */
  rootOf(set: ResourceSet): { readonly root: ContentRoot; readonly memory: FileMemory };
}
