import type { RoutedResponse } from '../request/admitted.ts';

/** Who may keep an answer that is for everybody. */
export type CacheControl = 'no-cache' | 'no-store' | `public, ${string}`;

/** What an answer is cached by. */
export interface Caching {
  readonly control: CacheControl;
  /** Whether the answer is for its sender alone. */
  readonly isPrivate: boolean;
  /** The request's headers that it depends on, besides the sender's credentials. */
  readonly vary?: string | undefined;
}

/** The headers that identify a sender. */
export const CREDENTIALS = 'Authorization, Cookie';

/** Marks an answer as one for its sender alone. Call it before the answer's headers are set. */
export function makePrivate(response: RoutedResponse): void {
  response.locals.isPrivate = true;
}

/** The headers that say who may cache an answer: every cache, as `control` has it, or the sender alone. */
export function cachingHeaders({ control, isPrivate, vary }: Caching): Readonly<Record<string, string>> {
  if (!isPrivate) return vary === undefined ? { 'Cache-Control': control } : { 'Cache-Control': control, Vary: vary };
  return {
    'Cache-Control': control.startsWith('public, ') ? control.replace('public', 'private') : `private, ${control}`,
    Vary: vary === undefined ? CREDENTIALS : `${vary}, ${CREDENTIALS}`,
  };
}

/** Says who may cache the answer of a route of express. Call it after `Vary` was set. */
export function setCaching(response: RoutedResponse, control: CacheControl): void {
  const vary = response.getHeader('Vary') as string | undefined;
  const headers = cachingHeaders({ control, isPrivate: response.locals.isPrivate === true, vary });
  for (const [name, value] of Object.entries(headers)) response.setHeader(name, value);
}
