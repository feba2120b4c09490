import { TidemarkError } from '../../core/errors.ts';
import type { HarvestFields } from './upload.ts';

/** What a sender may say of an upload: texts of forms, headers and JSON. Absent and empty mean no. */
interface FullFields {
  /** `yes`: it is a new full export, which replaces what its stream has. */
  readonly full?: string | undefined;
  /** `yes`: it may delete any number of records. */
  readonly accept_drop?: string | undefined;
}

const YES = ['yes', 'true', '1'];
const NO = ['', 'no', 'false', '0'];

/** @throws TidemarkError `invalid` */
export function fullUploadOf(given: FullFields): Pick<HarvestFields, 'unmentioned' | 'acceptsDrop'> {
  const isFull = isYes(given, 'full');
  const acceptsDrop = isYes(given, 'accept_drop');
  if (acceptsDrop && !isFull) {
    const message = 'accept_drop is for an upload that is full: send full=yes, too';
    throw new TidemarkError('invalid', message, { field: 'accept_drop' });
  }
  return isFull ? { unmentioned: 'deleted', ...(acceptsDrop && { acceptsDrop }) } : {};
}

function isYes(given: FullFields, field: keyof FullFields): boolean {
  const text = (given[field] ?? '').trim().toLowerCase();
  if (YES.includes(text)) return true;
  if (NO.includes(text)) return false;
  throw new TidemarkError('invalid', `${field} is ${JSON.stringify(text.slice(0, 40))}: send yes or no`, { field });
}
