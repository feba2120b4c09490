import { randomUUID } from 'node:crypto';

/** The sender of a posting. */
export type Sender =
  | { readonly kind: 'token'; readonly id: string; readonly name: string }
  /**
   * `administrator`: the bearer of the token from the environment; `local`: a client on the server's machine;
   * `command-line`: `tidemark changes post`; `scan`: a sync of the set with its source.
   */
  | { readonly kind: 'administrator' | 'local' | 'command-line' | 'scan' };

/** The postings of a sender to a set: one posting, or several small ones within a minute. */
export interface PostingEntry {
  readonly id: string;
  readonly sender: Sender;
  /** The `source` of its events; of several, the first ones, separated by a comma and a space. */
  readonly source?: string | undefined;
  /** Start of its first posting and end of its last one, milliseconds since 1970. */
  readonly began: number;
  readonly ended: number;
  readonly postings: number;
  readonly applied: number;
  readonly unchanged: number;
  readonly rejected: number;
  /** Total duration of its postings in milliseconds. */
  readonly duration: number;
  /** The first rejected events. */
  readonly rejections: readonly RejectedEvent[];
  /** Why a posting was refused, or ended early. */
  readonly problem?: string | undefined;
}

export interface RejectedEvent {
  /** The number of the event, or of its line; the first is 1. */
  readonly number?: number | undefined;
  /** The location that the event gives for the resource. */
  readonly location?: string | undefined;
  readonly code: string;
  readonly message: string;
  readonly field?: string | undefined;
}

/** An entry of one posting, before it has an id. */
export type NewEntry = Omit<PostingEntry, 'id'>;

export const MOST_REJECTIONS = 20;
/** Most entries of a set; fewer when they are long. The oldest ones are kept only if something in them failed. */
export const MOST_ENTRIES = 300;
export const MOST_RECENT = 200;
const MOST_CHARACTERS = 200_000;
/** Postings with more events than this have separate entries. */
const SMALL = 100;
/** Milliseconds after its start during which an entry accepts further small postings. */
const GATHERED_FOR_MS = 60_000;

/** The sender as text for users. Two senders are the same when their texts are equal. */
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
 * The last entries, in the order of their start, preceded by the last ones in which something failed. Of two with the
 * same id, the later one counts.
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

/** Whether an entry accepts further small postings. @param time milliseconds since 1970 */
export function isOpen({ began }: PostingEntry, time: number): boolean {
  return time - began < GATHERED_FOR_MS;
}

/** Approximate number of characters of a stored entry. */
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
