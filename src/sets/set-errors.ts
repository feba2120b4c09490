import { TidemarkError } from '../core/errors.ts';

export function slugTaken(slug: string): TidemarkError {
  return new TidemarkError('conflict', `there is, or was, a set "${slug}": choose another id`, { set: slug });
}

export function hasNoSource(slug: string): TidemarkError {
  return new TidemarkError('conflict', `the set "${slug}" has no source to scan: its changes are posted`, {
    set: slug,
  });
}

export function ofOrganization(slug: string): TidemarkError {
  const message = `the organization of the set "${slug}" decides who may read it: use "tidemark organizations change"`;
  return new TidemarkError('conflict', message, { set: slug });
}
