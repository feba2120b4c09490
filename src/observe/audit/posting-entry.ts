import { randomUUID } from 'node:crypto';

/** Who posted. */
export type Sender =
  | { readonly kind: 'token'; readonly id: string; readonly name: string }
  /**
   * The bearer of the token from the environment; a client on the server's machine; `tidemark changes post`; a sync of
   * the set with its source.
   */
  | { readonly kind: 'administrator' | 'local' | 'command-line' | 'scan' };

/** What a sender posted to a set: one posting, or small ones of a minute together. */
export interface PostingEntry {
  readonly id: string;
  readonly sender: Sender;
  /** The `source` that its events named; of several, the first ones, with a comma and a space between them. */
  readonly source?: string | undefined;
  /** Milliseconds since 1970, of its first posting and of the end of its last one. */
  readonly began: number;
  readonly ended: number;
  readonly postings: number;
  readonly applied: number;
  readonly unchanged: number;
  readonly rejected: number;
  /** Milliseconds that its postings took, together. */
  readonly duration: number;
  /** The first rejected events. */
  readonly rejections: readonly RejectedEvent[];
  /** Why a posting was refused, or ended early. */
  readonly problem?: string | undefined;
}

export interface RejectedEvent {
  /** The number of the event, or of its line; the first is 1. */
  readonly number?: number | undefined;
  /** Where the event says that the resource is. */
  readonly location?: string | undefined;
  readonly code: string;
  readonly message: string;
  readonly field?: string | undefined;
}

/** An entry of one posting, before it has an id. */
export type NewEntry = Omit<PostingEntry, 'id'>;

export const MOST_REJECTIONS = 20;
/** Of a set; fewer when they are long. The oldest of them are only those in which something failed. */
export const MOST_ENTRIES = 300;
const MOST_RECENT = 200;
const MOST_CHARACTERS = 200_000;
/** Postings with more events have an entry of their own. */
const SMALL = 100;
/** For so many milliseconds after it began, an entry takes further small postings. */
const GATHERED_FOR_MS = 60_000;

/** Who posted, for people. Two senders are the same when their texts are. */
export function senderText(sender: Sender): string {
  switch (sender.kind) {
    case 'token':
      return `token ${sender.name} (${sender.id})`;
    case 'local':
      return 'this machine';
    case 'command-line':
      return 'command line';
    case 'administrator':
    case 'scan':
      return sender.kind;
  }
}

/** Adds a posting to the last entry of its sender and source, when both are small, or as an entry of its own. */
export function withPosting(entries: readonly PostingEntry[], posting: NewEntry): readonly PostingEntry[] {
  const name = senderText(posting.sender);
  const at = entries.findLastIndex(({ source, sender }) => source === posting.source && senderText(sender) === name);
  const entry = entries[at];
  if (entry !== undefined && isSmall(entry) && isSmall(posting) && isOpen(entry, posting.began)) {
    return entries.with(at, together(entry, posting));
  }
  const all = [...entries, { id: randomUUID(), ...posting }];
  return all.length > MOST_ENTRIES ? lastOf(all) : all;
}

/**
 * The last entries, in the order in which they began, and before them the last ones in which something failed. Of two
 * with the same id, the later one counts.
 */
export function lastOf(entries: readonly PostingEntry[]): readonly PostingEntry[] {
  const byId = new Map(entries.map((entry) => [entry.id, entry]));
  const kept: PostingEntry[] = [];
  let characters = 0;
  for (const entry of [...byId.values()].sort((a, b) => b.began - a.began)) {
    if (kept.length >= MOST_RECENT && entry.rejected === 0 && entry.problem === undefined) continue;
    characters += charactersOf(entry);
    if (characters > MOST_CHARACTERS || kept.length === MOST_ENTRIES) break;
    kept.push(entry);
  }
  return kept.reverse();
}

/** Whether an entry takes further small postings. @param time milliseconds since 1970 */
export function isOpen({ began }: PostingEntry, time: number): boolean {
  return time - began < GATHERED_FOR_MS;
}

/** Of an entry when it is stored, about. */
export function charactersOf({ rejections, source = '', problem = '' }: NewEntry): number {
  let characters = 300 + source.length + problem.length;
  for (const { message, location = '' } of rejections) characters += 100 + message.length + location.length;
  return characters;
}

function together(entry: PostingEntry, posting: NewEntry): PostingEntry {
  const problem = posting.problem ?? entry.problem;
  return {
    ...entry,
    ended: Math.max(entry.ended, posting.ended),
    postings: entry.postings + posting.postings,
    applied: entry.applied + posting.applied,
    unchanged: entry.unchanged + posting.unchanged,
    rejected: entry.rejected + posting.rejected,
    duration: entry.duration + posting.duration,
    rejections: [...entry.rejections, ...posting.rejections].slice(0, MOST_REJECTIONS),
    ...(problem !== undefined && { problem }),
  };
}

function isSmall({ applied, unchanged, rejected, postings }: NewEntry): boolean {
  return applied + unchanged + rejected <= SMALL * postings;
}
