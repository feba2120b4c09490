import type { Response } from 'express';

/** Who may keep an answer that is for everybody. */
export type CacheControl = 'no-cache' | 'no-store' | `public, ${string}`;

/** Marks an answer as one for its sender alone. Call it before the answer's headers are set. */
export function makePrivate(response: Response): void {
  response.locals.isPrivate = true;
}

/** Says who may keep the answer: whoever likes, as `control` has it, or the sender alone. Call it after `Vary` was set. */
export function setCaching(response: Response, control: CacheControl): void {
  const isPrivate = response.locals.isPrivate === true;
  response.set('Cache-Control', isPrivate ? privately(control) : control);
  if (isPrivate) response.vary('Authorization');
}

function privately(control: CacheControl): string {
  return control.startsWith('public, ') ? control.replace('public', 'private') : `private, ${control}`;
}
