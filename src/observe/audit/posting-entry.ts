/** The sender of a posting. */
export type Sender =
  | { readonly kind: 'token'; readonly id: string; readonly name: string }
  /**
   * The bearer of the token from the environment; a client on the server's machine; `tidemark changes post`; a scan of
   * the set's root.
   */
  | { readonly kind: 'administrator' | 'local' | 'command-line' | 'scan' };

/** A posting to a set, or several small ones of one sender within a minute. */
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
  /** Why a posting was refused, or not read to its end. */
  readonly problem?: string | undefined;
}

export interface RejectedEvent {
  /** The number of the event, or of its line; the first is 1. */
  readonly number?: number | undefined;
  /** The location in the event. */
  readonly location?: string | undefined;
  readonly code: string;
  readonly message: string;
  readonly field?: string | undefined;
}

/** An entry of one posting, before it has an id. */
export type NewEntry = Omit<PostingEntry, 'id'>;

export const MOST_REJECTIONS = 20;
export const MOST_TEXT = 300;
/** Postings with more events get their own entry. */
const SMALL = 100;
/** Milliseconds during which small postings are added to an entry. */
export const GATHERED_FOR = 60_000;

/** Postings of senders with the same text may share an entry. */
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

/** Whether a posting of the same sender and source may be added to an entry. */
export function takes(entry: NewEntry, posting: NewEntry): boolean {
  return isSmall(posting) && isSmall(entry, entry.postings) && posting.began - entry.began < GATHERED_FOR;
}

export function together(entry: PostingEntry, posting: NewEntry): PostingEntry {
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

function isSmall({ applied, unchanged, rejected }: NewEntry, postings = 1): boolean {
  return applied + unchanged + rejected <= SMALL * postings;
}

/** About how many characters it takes when stored. */
export function sizeOf({ rejections, source = '', problem = '' }: NewEntry): number {
  let size = 300 + source.length + problem.length;
  for (const { message, location = '' } of rejections) size += 100 + message.length + location.length;
  return size;
}
