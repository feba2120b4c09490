import { randomUUID } from 'node:crypto';
import type { IncomingHttpHeaders, IncomingMessage, ServerResponse } from 'node:http';
import type { Principal } from '../../access/principal.ts';

/** The pattern of a request id of a client: the id is used in a header and in logs. */
const REQUEST_ID = /^[A-Za-z0-9._:-]{1,128}$/;
const OBSERVATION = Symbol('observation');

/** What is recorded about a request while it is processed. */
export interface Observation {
  /** The id of the request in headers, errors and logs. */
  readonly id: string;
  /** Start time, on the clock of performance.now(). */
  readonly began: number;
  /** The pattern of the matching route, once it is known. */
  route: string | undefined;
  /** The sender, once it is known. */
  sender: Principal | undefined;
}

interface Observed {
  [OBSERVATION]?: Observation;
}

/** Begins to observe a request. */
export function observed(headers: IncomingHttpHeaders): Observation {
  const given = headers['x-request-id'];
  const id = typeof given === 'string' && REQUEST_ID.test(given) ? given : randomUUID();
  return { id, began: performance.now(), route: undefined, sender: undefined };
}

/** Begins to observe a request of node:http. */
export function observe(request: IncomingMessage, response: ServerResponse): Observation {
  const observation = observed(request.headers);
  (response as Observed)[OBSERVATION] = observation;
  return observation;
}

/** Records the route and the sender. Called by the guard, or by code that responds before the guard. */
export function recordRoute(response: ServerResponse, pattern: string, sender?: Principal): void {
  const observation = (response as Observed)[OBSERVATION];
  if (observation === undefined) return;
  observation.route = pattern;
  observation.sender = sender;
}

/** The record of a request so far. */
export function observationOf(response: ServerResponse): Observation | undefined {
  return (response as Observed)[OBSERVATION];
}

/** The id of the request; every response has it as X-Request-Id. Undefined for a request that is not observed. */
export function requestIdOf(response: ServerResponse): string | undefined {
  return (response as Observed)[OBSERVATION]?.id;
}
