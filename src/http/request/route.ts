import type { Request, Response } from 'express';
import type * as z from 'zod';
import type { Action } from '../../access/may.ts';
import { isTidemarkError, type TidemarkError } from '../../core/errors.ts';
import type { DirectHandler } from './direct-request.ts';
import { requireMediaType } from './media-types.ts';
import type { Operation } from './operation.ts';
import { parseQuery } from './parse-query.ts';
import { prefersPage } from './prefers-page.ts';

/** Responds to a request; errors go to error-handler.ts. */
type Handler = (request: Request, response: Response) => Promise<void> | void;

type Method = 'delete' | 'get' | 'options' | 'patch' | 'post';

export interface Route {
  readonly method: Method;
  /** A path of express; `:set` is a set's slug, and the set is looked up before the handler is called. */
  readonly path: string;
  readonly action: Action;
  readonly operation: Operation;
  /**
   * The slug of the set that a request without `:set` in its path is about. One that does not exist yet is for
   * administrators, whose request makes it.
   */
  readonly newSetOf?: ((request: Pick<Request, 'query'>) => string) | undefined;
  /** Checks the request against the operation, and responds. Called when the sender may do the action. */
  readonly handle: Handler;
  /**
   * Handles the requests that server/direct-routes.ts keeps from express: a GET without a query that prefers no page.
   */
  readonly direct?: DirectHandler | undefined;
}

/** A route without its method and path: who may use it, what it takes and answers, and how. */
interface Endpoint<Query extends z.ZodObject> extends Operation<Query> {
  readonly action: Action;
  readonly newSetOf?: Route['newSetOf'];
  /** @param query the parameters, parsed by the operation's schema */
  readonly handle: (request: Request, response: Response, query: z.output<Query>) => Promise<void> | void;
  /** Shows a user the error of the query; by default error-view.ts does. */
  readonly showWrong?: (request: Request, response: Response, problem: TidemarkError) => Promise<void>;
  readonly direct?: DirectHandler;
}

/** A route for GET and HEAD. */
export function get<Query extends z.ZodObject>(path: string, endpoint: Endpoint<Query>): Route {
  return route('get', path, endpoint);
}

export function post<Query extends z.ZodObject>(path: string, endpoint: Endpoint<Query>): Route {
  return route('post', path, endpoint);
}

export function patch<Query extends z.ZodObject>(path: string, endpoint: Endpoint<Query>): Route {
  return route('patch', path, endpoint);
}

export function options<Query extends z.ZodObject>(path: string, endpoint: Endpoint<Query>): Route {
  return route('options', path, endpoint);
}

export function remove<Query extends z.ZodObject>(path: string, endpoint: Endpoint<Query>): Route {
  return route('delete', path, endpoint);
}

function route<Query extends z.ZodObject>(method: Method, path: string, endpoint: Endpoint<Query>): Route {
  const { action, newSetOf, handle, showWrong, direct, ...operation } = endpoint;
  const { query: schema, body } = operation;
  return {
    method,
    path,
    action,
    operation,
    newSetOf,
    handle(request, response) {
      if (body !== undefined) requireMediaType(request.headers, Object.keys(body));
      let query = {} as z.output<Query>;
      try {
        if (schema !== undefined) query = parseQuery(schema, request.query as never);
      } catch (error) {
        if (showWrong === undefined || !prefersPage(request.headers.accept) || !isTidemarkError(error)) throw error;
        return showWrong(request, response, error);
      }
      return handle(request, response, query);
    },
    direct,
  };
}
