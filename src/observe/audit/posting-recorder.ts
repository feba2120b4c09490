import { isTidemarkError } from '../../core/errors.ts';
import { shownToClients } from '../../core/without-paths.ts';
import type { ParsedEvent, Posting, PostingResult } from '../../ingest/posting.ts';
import { shortened } from '../../lib/excerpt.ts';
import { MOST_REJECTIONS, type NewEntry, type RejectedEvent, type Sender } from './posting-entry.ts';

/** The most sources that an entry names. */
const MOST_SOURCES = 20;
/** Characters of a text of an entry. */
const MOST_TEXT = 300;

/** Counts the results of one posting while it is under way. */
export class PostingRecorder {
  readonly #sender: Sender;
  readonly #began = Date.now();
  readonly #start = performance.now();
  readonly #totals = { applied: 0, unchanged: 0, rejected: 0 };
  readonly #rejections: RejectedEvent[] = [];
  readonly #sources = new Set<string>();

  constructor(sender: Sender) {
    this.#sender = sender;
  }

  /** Wraps a posting, to count its results. */
  around(posting: Posting): Posting {
    return {
      ...posting,
      post: async (events) => {
        this.#addSources(events);
        const results = await posting.post(events);
        for (const [at, result] of results.entries()) this.#add(events[at]!, result);
        return results;
      },
    };
  }

  /**
   * The entry of the posting; undefined when nothing was posted and nothing failed. @param error that ended the posting
   */
  entry(error: unknown): NewEntry | undefined {
    const { applied, unchanged, rejected } = this.#totals;
    if (applied + unchanged + rejected === 0 && error === undefined) return undefined;
    return {
      sender: this.#sender,
      ...(this.#sources.size > 0 && { source: shortened([...this.#sources].join(', '), MOST_TEXT) }),
      began: this.#began,
      ended: Date.now(),
      postings: 1,
      ...this.#totals,
      duration: Math.round(performance.now() - this.#start),
      rejections: this.#rejections,
      ...(error !== undefined && { problem: shortened(problemOf(error), MOST_TEXT) }),
    };
  }

  #addSources(events: readonly ParsedEvent[]): void {
    for (const { event } of events) {
      if (!('source' in event) || event.source === undefined || this.#sources.size === MOST_SOURCES) continue;
      this.#sources.add(event.source);
    }
  }

  #add(posted: ParsedEvent, result: PostingResult): void {
    this.#totals[result.status] += 1;
    if (result.status !== 'rejected' || this.#rejections.length === MOST_REJECTIONS) return;
    const { event, number } = posted;
    const location = 'key' in event ? event.key : posted.location;
    const field = 'field' in result ? result.field : undefined;
    this.#rejections.push({
      number,
      ...(location !== undefined && { location: shortened(location, MOST_TEXT) }),
      code: result.code,
      message: shortened(result.message, MOST_TEXT),
      ...(field !== undefined && { field: shortened(field, MOST_TEXT) }),
    });
  }
}

/** Clients read it: any other error may contain paths of this machine, and the log of the server has it. */
function problemOf(error: unknown): string {
  return isTidemarkError(error) ? shownToClients(error).message : 'an unexpected error: see the log of the server';
}
