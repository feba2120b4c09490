import type { IncomingHttpHeaders } from 'node:http';
import type { Principal } from '../../access/principal.ts';
import type { ResourceSet } from '../../core/resource-set.ts';
import type { Answer } from './answer.ts';

/** An admitted GET or HEAD, however it arrived. */
export interface DirectRequest {
  readonly method: string | undefined;
  /** The unchanged URL of the request. */
  readonly url: string;
  readonly headers: IncomingHttpHeaders;
  /** The named parts of the path, decoded. */
  readonly params: Readonly<Record<string, string | string[]>>;
  readonly sender: Principal;
  /** The set in the path. */
  readonly set: ResourceSet | undefined;
}

/**
 * Handles a GET or HEAD, independently of node:http and express. response/error-answer.ts converts errors to
 * responses.
 */
export type DirectHandler = (request: DirectRequest) => Promise<Answer>;
