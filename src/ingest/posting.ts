import type { ChangeEvent } from '../core/change.ts';
import { TidemarkError } from '../core/errors.ts';
import { traitsOf } from '../core/origin.ts';
import type { ResourceSet } from '../core/resource-set.ts';
import type { ServedSource } from '../sources/served-source.ts';
import type { CommitResult } from '../stores/commit-result.ts';
import type { EventPoster } from '../stores/event-poster.ts';
import { isRejection, type PostedTo, parsePostedEvent } from './posted-event.ts';
import type { Rejection } from './rejection.ts';

/** The result of one posted event. */
export type PostingResult = CommitResult | Rejection;

/** A posted event: valid, or rejected before the store is called. */
export interface ParsedEvent {
  /** The number of the event, or of its line; the first is 1. */
  readonly number: number;
  readonly event: ChangeEvent | Rejection;
  /** For a rejected event: the location that it gives for the resource. */
  readonly location?: string | undefined;
}

export interface Posting extends PostedTo {
  /** Resolves when the valid ones are committed, with a result for each event, in order; see Updater.post. */
  post(events: readonly ParsedEvent[]): Promise<readonly PostingResult[]>;
}

interface Receiver {
  readonly updater: EventPoster;
  servedSourceOf(set: ResourceSet): ServedSource | undefined;
}

/**
 * Begins a posting to a set.
 * @throws TidemarkError `conflict` for a set that mirrors a source: the next sync would undo posted changes, or publish
 * resources without bytes; and for one that keeps versions. `unavailable` when what its source leaves out cannot be
 * read
 */
export async function openPosting(set: ResourceSet, { updater, servedSourceOf }: Receiver): Promise<Posting> {
  const { reasonForNoPosting, records } = traitsOf(set.origin);
  if (reasonForNoPosting !== undefined) {
    throw new TidemarkError('conflict', `"${set.slug}" takes no posted events: ${reasonForNoPosting}`, {
      set: set.slug,
      records,
    });
  }
  if (set.keepVersions === true) {
    const message = `"${set.slug}" takes no posted events: it keeps the bytes of every version, and a posted event has none; change its files, or run "tidemark sets change ${set.slug} --no-keep-versions"`;
    throw new TidemarkError('conflict', message, { set: set.slug });
  }
  const leavesOut = await servedSourceOf(set)?.leavesOut?.();
  return { set, leavesOut, post: (events) => postValid(events, updater) };
}

/** @param value parsed from JSON */
export function parseEvent(number: number, value: unknown, to: PostedTo): ParsedEvent {
  const event = parsePostedEvent(value, to, Date.now());
  return isRejection(event) ? { number, event, location: locationIn(value) } : { number, event };
}

async function postValid(events: readonly ParsedEvent[], updater: EventPoster): Promise<readonly PostingResult[]> {
  const valid = events.map(({ event }) => event).filter((event): event is ChangeEvent => !isRejection(event));
  const committed = await updater.post(valid);
  let next = 0;
  return events.map(({ event }) => (isRejection(event) ? event : committed[next++]!));
}

/** The location in an event, whatever else is wrong with it. */
function locationIn(value: unknown): string | undefined {
  const { location } = Object(value) as { readonly location?: unknown };
  if (typeof location === 'string') return location;
  const named = (Object(location) as { readonly value?: unknown }).value;
  return typeof named === 'string' ? named : undefined;
}
