import type { IncomingHttpHeaders } from 'node:http';
import type { Principal } from '../../access/principal.ts';
import type { ResourceSet } from '../../core/resource-set.ts';
import type { Answer } from './answer.ts';

/** A GET or HEAD that was admitted, in whichever way it came. */
export interface DirectRequest {
  readonly method: string | undefined;
  /** As it was sent. */
  readonly url: string;
  readonly headers: IncomingHttpHeaders;
  /** The parts of the path that the route names, decoded. */
  readonly params: Readonly<Record<string, string | string[]>>;
  readonly sender: Principal;
  /** The set that the path names. */
  readonly set: ResourceSet | undefined;
}

/** Answers a GET or HEAD; knows neither node:http nor express. Errors become answers in response/failure-answer.ts. */
export type DirectHandler = (request: DirectRequest) => Promise<Answer>;
