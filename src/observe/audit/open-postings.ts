import type { ResourceSet } from '../../core/resource-set.ts';
import { openPosting, type Posting } from '../../ingest/posting.ts';
import type { Closers } from '../../lib/calls/closers.ts';
import type { ServedSource } from '../../sources/served-source.ts';
import type { Catalog } from '../../stores/catalog.ts';
import type { EventPoster } from '../../stores/event-poster.ts';
import type { Sender } from './posting-entry.ts';
import { PostingLog } from './posting-log.ts';

interface PostingsParts {
  readonly catalog: Catalog;
  /** What posts to a set, and adds the links of its rules. */
  posterOf(set: ResourceSet): EventPoster;
  servedSourceOf(set: ResourceSet): ServedSource | undefined;
  /** Wraps a posting, to measure it. */
  aroundPosting(posting: Posting): Posting;
}

/** Receives events that are posted to sets. */
export interface Postings extends ReturnType<typeof openPostings> {}

/** `closers` close everything that this opens. */
export function openPostings(parts: PostingsParts, closers: Closers) {
  const log = new PostingLog(parts.catalog);
  closers.add(() => log.close());
  return {
    log,
    /**
     * Opens a posting of a sender to a set, measured and logged.
     * @param work posts events by the posting that it receives
     * @throws TidemarkError as openPosting does, and what the work throws
     */
    async receive(
      { set, sender }: { readonly set: ResourceSet; readonly sender: Sender },
      work: (posting: Posting) => Promise<void>,
    ): Promise<void> {
      const posting = await openPosting(set, { updater: parts.posterOf(set), servedSourceOf: parts.servedSourceOf });
      await log.record(parts.aroundPosting(posting), sender, work);
    },
  };
}
