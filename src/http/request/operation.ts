import * as z from 'zod';
import type { AnswerHeader, RequestHeader } from './operation-headers.ts';

/** The subjects of operations, which group the description at /api/openapi.json. */
export const TAGS = {
  documents: 'The documents of ResourceSync, for clients that mirror the sets.',
  resources: 'The resources themselves.',
  sets: 'What the index knows of each set, as JSON.',
  dumps: 'Packages of all resources of a set.',
  changes: 'Posting of change events, and the changes that came of them.',
  notifications: 'Subscriptions to changes, by WebSub.',
  organizations: 'Who delivers files, and in which streams.',
  uploads: 'Files that organizations deliver.',
  pod: 'The addresses of the POD aggregator, for programs that read from it.',
  activities: 'Runs of activities, which make artifacts of records.',
  collections: 'OAI-PMH repositories, and the runs that harvest them.',
  datasets: 'Datasets of other platforms that are fetched, checked and published.',
  tokens: 'Tokens, and what each permits.',
  jobs: 'Work that is done later, repeatedly, or for long.',
  operating: 'For operators and their tools.',
  pages: 'Pages for people.',
} as const;
export type Tag = keyof typeof TAGS;

/** The content of a body: JSON of a schema, such JSON on each line, or text or bytes without a schema. */
export type Content = z.ZodType | { readonly lines: z.ZodType } | 'text' | 'bytes';
/** The possible contents of a body, by media type. */
export type Contents = Readonly<Record<string, Content>>;

export interface Answer {
  readonly status: number;
  readonly description: string;
  /** Without it, the response has no body. */
  readonly content?: Contents;
  readonly headers?: readonly AnswerHeader[];
}

/**
 * The request and the responses of a route. Requests are checked with the same schemas, so the description always
 * agrees with the checks. Responses that any route may have (not authorized, too many requests …) are in
 * openapi-failures.ts.
 */
export interface Operation<Query extends z.ZodObject = z.ZodObject> {
  /** Unique among all routes: generated clients use it as the name of a function. */
  readonly id: string;
  readonly tag: Tag;
  readonly summary: string;
  readonly description?: string;
  /**
   * Its parameters are parsed before the handler is called. A `z.strictObject` refuses unknown parameters, as the JSON
   * API does; a `z.object` ignores them, for harvesters and links that add parameters. Without a schema, all are
   * ignored.
   */
  readonly query?: Query;
  /** The headers that it reads, besides those of conditions and ranges. */
  readonly headers?: readonly RequestHeader[];
  /** The required body; another Content-Type is refused with 415 before the handler is called. */
  readonly body?: Contents;
  /** Whether it supports If-Match, If-None-Match and similar headers, with responses 304 and 412. */
  readonly isConditional?: boolean;
  /** Whether it supports Range and If-Range, with responses 206 and 416. */
  readonly hasRanges?: boolean;
  /** Whether a client that asks too often gets the status 503 in place of 429, as its protocol has it. */
  readonly isBusyWith503?: boolean;
  /** All responses, except those that every route may have. Several of one status are one with several media types. */
  readonly answers: readonly Answer[];
}

/** Query schema for operations of the JSON API without parameters. */
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

/** The operation of a page that has no other response. */
export function pageOperation(id: string, summary: string) {
  return { id, tag: 'pages', summary, answers: [page('The page.')] } as const satisfies Operation;
}
