import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http';
import { type Locals, param, type RoutedRequest, type RoutedResponse } from '../request/admitted.ts';
import { requestIdOf } from '../request/observation.ts';
import { prefersPage } from '../request/prefers-page.ts';
import type { DirectHandler, Route } from '../request/route.ts';
import type { Admit } from './admit.ts';
import { admitTo } from './guard.ts';
import { SECURITY_HEADERS } from './security-headers.ts';

interface DirectRoute {
  readonly route: Route;
  readonly handle: DirectHandler;
  readonly pattern: RegExp;
  readonly hasSet: boolean;
}

export interface DirectParts {
  readonly routes: readonly Route[];
  readonly admit: Admit;
  /** Answers all other requests, and those that failed (`locals.failure`). */
  readonly express: RequestListener;
}

/**
 * Answers requests for documents and for bytes of resources without express, whose router, wrappers and settings take
 * several times as long as the answer. Admission, handlers and errors are the same. Everything unusual goes to express:
 * queries, pages, bodies, encoded names.
 */
export function directRoutes({ routes, admit, express }: DirectParts): RequestListener {
  const direct = routes.flatMap(directRoute);

  async function answer({ route, handle, hasSet }: DirectRoute, request: RoutedRequest, response: RoutedResponse) {
    const slug = hasSet ? param(request, 'set') : undefined;
    try {
      await admitTo({ admit, route, slug }, request, response);
      await handle(request, response);
    } catch (error) {
      response.locals.failure = error;
      express(request, response);
    }
  }

  return (request, response) => {
    setCommonHeaders(response);
    const url = isPlain(request) ? request.url! : '';
    for (const one of direct) {
      const match = one.pattern.exec(url);
      if (match === null) continue;
      const routed = Object.assign(request, { params: match.groups ?? {} });
      void answer(one, routed, Object.assign(response, { locals: {} satisfies Locals }));
      return;
    }
    express(request, response);
  };
}

/** Sets the headers that every response has, also those of express. */
function setCommonHeaders(response: ServerResponse): void {
  const id = requestIdOf(response);
  if (id !== undefined) response.setHeader('X-Request-Id', id);
  for (const [name, value] of SECURITY_HEADERS) response.setHeader(name, value);
}

function directRoute(route: Route): readonly DirectRoute[] {
  const { path, direct } = route;
  if (direct === undefined) return [];
  return [{ route, handle: direct, pattern: patternOf(path), hasSet: path.includes('/:set') }];
}

/** A path of express as an expression for URLs whose parameters have no encoded characters. */
function patternOf(path: string): RegExp {
  const pattern = path
    .replaceAll('.', '\\.')
    .replace(/:(\w+)/g, '(?<$1>[^/?#%]+)')
    .replace(/\*(\w+)/g, '(?<$1>[^?#]+)');
  return new RegExp(`^${pattern}$`);
}

function isPlain({ method, headers }: IncomingMessage): boolean {
  if (method !== 'GET' && method !== 'HEAD') return false;
  return (
    headers['content-length'] === undefined &&
    headers['transfer-encoding'] === undefined &&
    !prefersPage(headers.accept)
  );
}
