import type { IncomingHttpHeaders } from 'node:http';
import type { Logger } from 'pino';
import type { Answer } from '../request/answer.ts';
import type { DirectHandler } from '../request/direct-request.ts';
import type { Observation } from '../request/observation.ts';
import { prefersPage } from '../request/prefers-page.ts';
import type { Route } from '../request/route.ts';
import { failureAnswer, logFault } from '../response/error-answer.ts';
import type { Admit } from './admit.ts';

interface DirectRoute {
  readonly route: Route;
  readonly handle: DirectHandler;
  readonly pattern: RegExp;
}

/** A request for a path that has a direct route. */
export interface Match {
  readonly route: Route;
  readonly handle: DirectHandler;
  readonly params: Readonly<Record<string, string>>;
}

/** A request for which a match was found. */
export interface MatchedRequest {
  readonly method: string | undefined;
  readonly url: string;
  readonly headers: IncomingHttpHeaders;
  /** The remote address of the connection. */
  readonly address: string | undefined;
  readonly observation: Observation;
}

export interface DirectParts {
  readonly routes: readonly Route[];
  readonly admit: Admit;
  readonly logger: Logger;
}

/**
 * Responds to requests for documents and for bytes of resources without express, whose router, wrappers and settings
 * take several times as long as the response. Admission, handlers and errors are the same. Everything unusual is left
 * to express: queries, pages, bodies, encoded names.
 */
export class DirectAnswers {
  /**
   * By the word that begins the last part of their path. There are many routes, so each request is compared with few.
   */
  readonly #routes: ReadonlyMap<string, readonly DirectRoute[]>;
  /** Routes whose last part begins with a parameter. */
  readonly #open: readonly DirectRoute[];
  readonly #parts: DirectParts;

  constructor(parts: DirectParts) {
    this.#parts = parts;
    const routes = Map.groupBy(parts.routes.flatMap(directRoute), ({ route }) =>
      lastWord(route.path.replace(/[a-z]*[:*][^/]*$/, '')),
    );
    this.#open = routes.get('') ?? [];
    routes.delete('');
    this.#routes = routes;
  }

  /** Undefined when express has to respond. */
  match(method: string | undefined, url: string, headers: IncomingHttpHeaders): Match | undefined {
    if (method !== 'GET' && method !== 'HEAD') return undefined;
    const hasBody = headers['content-length'] !== undefined || headers['transfer-encoding'] !== undefined;
    if (hasBody || prefersPage(headers.accept)) return undefined;
    const named = this.#routes.get(lastWord(url));
    return (named && matchIn(named, url)) ?? matchIn(this.#open, url);
  }

  /** The response to a request, even when it fails. */
  async answer({ route, handle, params }: Match, request: MatchedRequest): Promise<Answer> {
    const { method, url, headers, address, observation } = request;
    try {
      observation.route = route.path;
      const { sender, set } = await this.#parts.admit(route, { headers, address, slug: params.set });
      observation.sender = sender;
      return await handle({ method, url, headers, params, sender, set });
    } catch (error) {
      return this.failure(error, request);
    }
  }

  /** The response to a failed request; logs a fault of the server. */
  failure(error: unknown, { method, url, observation }: MatchedRequest): Answer {
    const requestId = observation.id;
    logFault(this.#parts.logger, error, { requestId, method, url });
    return failureAnswer(error, requestId);
  }
}

function matchIn(routes: readonly DirectRoute[], url: string): Match | undefined {
  for (const { route, handle, pattern } of routes) {
    const found = pattern.exec(url);
    if (found !== null) return { route, handle, params: found.groups ?? {} };
  }
  return undefined;
}

/**
 * The lower-case letters at the start of the last part of a path: `changelist` of `/sets/maps/changelist-recent.xml`.
 */
function lastWord(path: string): string {
  const start = path.lastIndexOf('/') + 1;
  let end = start;
  while (path.charCodeAt(end) >= 97 && path.charCodeAt(end) <= 122) end += 1;
  return path.slice(start, end);
}

function directRoute(route: Route): readonly DirectRoute[] {
  const { path, direct } = route;
  return direct === undefined ? [] : [{ route, handle: direct, pattern: patternOf(path) }];
}

/** A path of express as a regular expression for URLs whose parameters contain no encoded characters. */
function patternOf(path: string): RegExp {
  const pattern = path
    .replaceAll('.', '\\.')
    .replace(/:(\w+)/g, '(?<$1>[^/?#%]+)')
    .replace(/\*(\w+)/g, '(?<$1>[^?#]+)');
  return new RegExp(`^${pattern}$`);
}
