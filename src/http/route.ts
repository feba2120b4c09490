import type { Request, Response } from 'express';
import type { Action } from '../access/may.ts';
import type { ResourceSet } from '../domain/resource-set.ts';
import type { BodyKind } from './body-kind.ts';

/** Answers a request; errors go to error-handler.ts. */
export type Handler = (request: Request, response: Response) => Promise<void> | void;

export interface Route {
  readonly method: 'get' | 'post';
  /** A path of express; `:set` is a set's slug, and the set is looked up before the handler is called. */
  readonly path: string;
  readonly action: Action;
  readonly body: BodyKind;
  readonly handle: Handler;
}

/** A part of the path, decoded. */
export function param(request: Request, name: string): string {
  const value = request.params[name];
  return Array.isArray(value) ? value.join('/') : (value ?? '');
}

/** The set that the path names; only for routes with `:set`. */
export function setOf(response: Response): ResourceSet {
  return response.locals.set as ResourceSet;
}
