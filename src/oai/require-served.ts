import { TidemarkError } from '../core/errors.ts';
import { traitsOf } from '../core/origin.ts';
import type { ResourceSet } from '../core/resource-set.ts';

/** @throws TidemarkError `not-found`, `not-ready` */
export function requireServed({ slug, origin, ready }: ResourceSet): void {
  if (traitsOf(origin).entry !== 'record') {
    const message = `the resources of "${slug}" are no records: only sets of records are served by OAI-PMH`;
    throw new TidemarkError('not-found', message, { set: slug });
  }
  if (ready) return;
  throw new TidemarkError('not-ready', `"${slug}" is being read for the first time, or moved`, { set: slug });
}
