import { TidemarkError } from '../../core/errors.ts';

/**
 * The activities that make artifacts, in the order in which they build on each other. The folder `plan` beside them is
 * not one.
 */
export const ACTIVITIES = [
  'harvest',
  'upload',
  'dataset',
  'normalization',
  'mapping',
  'enrichment',
  'indexing',
] as const;
export type Activity = (typeof ACTIVITIES)[number];

const PROVIDER = /^[a-z0-9-]{1,63}$/;

export function isActivity(text: string): text is Activity {
  return ACTIVITIES.some((activity) => activity === text);
}

export function isProvider(text: string): boolean {
  return PROVIDER.test(text);
}

/** @throws TidemarkError `invalid` */
export function requireProvider(text: string): void {
  if (isProvider(text)) return;
  throw new TidemarkError(
    'invalid',
    `${JSON.stringify(text)} is not a provider: use up to 63 small letters, digits and "-", such as cdl`,
    { provider: text },
  );
}
