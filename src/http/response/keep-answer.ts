import type { ClientRequest, ServerResponse } from 'node:http';
import type { Response } from 'express';
import { observationOf } from '../request/observation.ts';
import { senderOf } from '../request/route.ts';
import type { GivenAnswer, Keeping, QuickAnswers } from './quick-answers.ts';

/** Where the answer to a request may be kept. */
export interface Keeper extends Pick<GivenAnswer, 'key' | 'moment'> {
  readonly answers: QuickAnswers;
}

/** Names the request: every answer has another one, and it is the first of its headers. */
const REQUEST_ID = 'X-Request-Id';

const keepers = new WeakMap<ServerResponse, Keeper>();

export function setKeeper(response: ServerResponse, keeper: Keeper): void {
  keepers.set(response, keeper);
}

export function keeperOf(response: ServerResponse): Keeper | undefined {
  return keepers.get(response);
}

/**
 * Keeps an answer, to give it again while nothing has changed. To be called when the response has all its headers and is about to be
 * ended, with its body for a 200 and without for a 304.
 */
export function keepAnswer(response: Response, keeping: Keeping, body?: Buffer): void {
  const keeper = keepers.get(response);
  const route = observationOf(response)?.route;
  if (keeper === undefined || route === undefined) return;
  if (response.statusCode !== (body === undefined ? 304 : 200)) return;
  const { answers, key, moment } = keeper;
  const head = headOf(response);
  answers.keep({ ...keeping, key, moment, sender: senderOf(response), route, head, ...(body && { body }) });
}

function headOf(response: ServerResponse): string[] {
  const head: string[] = [REQUEST_ID, ''];
  // Node documents it for requests only, which share it with responses.
  const names = (response as unknown as ClientRequest).getRawHeaderNames();
  for (const name of names) {
    if (name === REQUEST_ID) continue;
    const value = response.getHeader(name);
    for (const one of Array.isArray(value) ? value : [String(value)]) head.push(name, one);
  }
  return head;
}
