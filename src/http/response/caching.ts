import type { RoutedResponse } from '../request/admitted.ts';

/** Who may keep an answer that is for everybody. */
export type CacheControl = 'no-cache' | 'no-store' | `public, ${string}`;

/** Marks an answer as one for its sender alone. Call it before the answer's headers are set. */
export function makePrivate(response: RoutedResponse): void {
  response.locals.isPrivate = true;
}

/**
 * Says who may cache the answer: every cache, as `control` has it, or the sender alone. Call it after `Vary` was set.
 */
export function setCaching(response: RoutedResponse, control: CacheControl): void {
  const isPrivate = response.locals.isPrivate === true;
  response.setHeader('Cache-Control', isPrivate ? privately(control) : control);
  if (!isPrivate) return;
  const vary = response.getHeader('Vary');
  response.setHeader('Vary', vary === undefined ? 'Authorization' : `${vary}, Authorization`);
}

function privately(control: CacheControl): string {
  return control.startsWith('public, ') ? control.replace('public', 'private') : `private, ${control}`;
}
