import * as z from 'zod';
import type { AnswerHeader } from './operation-headers.ts';

/** What operations are about; the description at /api/openapi.json is ordered by it. */
export const TAGS = {
  documents: 'The documents of ResourceSync, for clients that mirror the sets.',
  resources: 'The resources themselves.',
  sets: 'What the index knows of each set, as JSON.',
  dumps: 'Packages of all resources of a set.',
  changes: 'Posting of change events, and the changes that came of them.',
  notifications: 'Subscriptions to changes, by WebSub.',
  organizations: 'Who delivers files, and in which streams.',
  uploads: 'Files that organizations deliver.',
  tokens: 'Who is let in.',
  jobs: 'Work that is done later, repeatedly, or for long.',
  operating: 'For operators and their tools.',
  pages: 'Pages for people.',
} as const;
export type Tag = keyof typeof TAGS;

/** What a body is: JSON of a schema, such JSON on each line, or text or bytes that no schema describes. */
export type Content = z.ZodType | { readonly lines: z.ZodType } | 'text' | 'bytes';
/** What a body may be, by media type. */
export type Contents = Readonly<Record<string, Content>>;

export interface Answer {
  readonly status: number;
  readonly description: string;
  /** Without it the answer has no body. */
  readonly content?: Contents;
  readonly headers?: readonly AnswerHeader[];
}

/**
 * What a route takes and answers. The schemas that check requests are these very ones, so the description can say
 * nothing else than what is checked. Answers that any route may give (not authorized, too many requests …) are in
 * openapi-answers.ts.
 */
export interface Operation<Query extends z.ZodObject = z.ZodObject> {
  /** Unique among all routes: generated clients name their functions by it. */
  readonly id: string;
  readonly tag: Tag;
  readonly summary: string;
  readonly description?: string;
  /**
   * Its parameters are parsed before the handler is called. A `z.strictObject` refuses parameters that it does not
   * know, as the JSON API does; a `z.object` ignores them, for harvesters and links that add their own. Without it any
   * are ignored.
   */
  readonly query?: Query;
  /** What a request must bear; another Content-Type is answered with 415 before the handler is called. */
  readonly body?: Contents;
  /** Understands If-Match, If-None-Match and their like, and answers 304 and 412. */
  readonly isConditional?: boolean;
  /** Understands Range and If-Range, and answers 206 and 416. */
  readonly hasRanges?: boolean;
  /** All but those that every route may give. Several of one status are one with several media types. */
  readonly answers: readonly Answer[];
}

/** For operations of the JSON API that have no parameter. */
export const NO_PARAMETERS = z.strictObject({});

export function json(schema: z.ZodType, description: string, status = 200): Answer {
  return { status, description, content: { 'application/json': schema } };
}

export function xml(description: string, headers?: readonly AnswerHeader[]): Answer {
  return {
    status: 200,
    description,
    content: { 'application/xml': 'text' },
    ...(headers !== undefined && { headers }),
  };
}

export function page(description: string): Answer {
  return { status: 200, description, content: { 'text/html': 'text' } };
}
