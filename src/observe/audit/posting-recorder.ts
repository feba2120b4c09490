import type { ChangeEvent } from '../../core/change.ts';
import type { PostedValue, Posting } from '../../ingest/ndjson-posting.ts';
import type { Rejection } from '../../ingest/rejection.ts';
import type { CommitResult } from '../../stores/commit-result.ts';
import { MOST_REJECTIONS, MOST_TEXT, type NewEntry, type RejectedEvent, type Sender } from './posting-entry.ts';

/** The most sources that an entry names. */
const MOST_SOURCES = 20;

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

  /** Wraps the posting, so that its results are counted. */
  around(posting: Posting): Posting {
    return {
      ...posting,
      post: async (events) => {
        this.#addSources(events);
        const results = await posting.post(events);
        this.#count(events, results);
        return results;
      },
      rejected: (rejection, event) => {
        posting.rejected?.(rejection, event);
        this.#totals.rejected += 1;
        if (this.#rejections.length < MOST_REJECTIONS) this.#rejections.push(rejectedEvent(rejection, event));
      },
    };
  }

  /** The entry of the posting; undefined when nothing was posted and nothing failed. */
  entry(problem: string | undefined): NewEntry | undefined {
    const { applied, unchanged, rejected } = this.#totals;
    if (applied + unchanged + rejected === 0 && problem === undefined) return undefined;
    return {
      sender: this.#sender,
      ...(this.#sources.size > 0 && { source: cut([...this.#sources].join(', ')) }),
      began: this.#began,
      ended: Date.now(),
      postings: 1,
      ...this.#totals,
      duration: Math.round(performance.now() - this.#start),
      rejections: this.#rejections,
      ...(problem !== undefined && { problem: cut(problem) }),
    };
  }

  #addSources(events: readonly ChangeEvent[]): void {
    for (const { source } of events) {
      if (source !== undefined && this.#sources.size < MOST_SOURCES) this.#sources.add(source);
    }
  }

  #count(events: readonly ChangeEvent[], results: readonly CommitResult[]): void {
    for (const [at, result] of results.entries()) {
      this.#totals[result.status] += 1;
      if (result.status !== 'rejected' || this.#rejections.length === MOST_REJECTIONS) continue;
      this.#rejections.push({ location: cut(events[at]!.key), code: result.code, message: cut(result.message) });
    }
  }
}

function rejectedEvent({ code, message, field }: Rejection, { number, value }: PostedValue): RejectedEvent {
  const location = locationIn(value);
  return {
    number,
    ...(location !== undefined && { location: cut(location) }),
    code,
    message: cut(message),
    ...(field !== undefined && { field: cut(field) }),
  };
}

/** The location in a posted value, whatever else is wrong with it. */
function locationIn(posted: unknown): string | undefined {
  const value = typeof posted === 'string' ? parsed(posted) : posted;
  if (typeof value !== 'object' || value === null || !('location' in value)) return undefined;
  const { location } = value;
  if (typeof location === 'string') return location;
  if (typeof location !== 'object' || location === null || !('value' in location)) return undefined;
  return typeof location.value === 'string' ? location.value : undefined;
}

function parsed(line: string): unknown {
  try {
    return JSON.parse(line);
  } catch {
    return undefined;
  }
}

function cut(text: string): string {
  return text.length > MOST_TEXT ? `${text.slice(0, MOST_TEXT)}…` : text;
}
