import { ACTIVITIES, isActivity, isProvider } from '../artifacts/keys/activity.ts';
import { TidemarkError } from '../core/errors.ts';
import type { RecordsSource } from '../core/origin.ts';

/** Reads `cdl/harvest`. @throws TidemarkError `invalid` */
export function parseRecordsSource(text: string): RecordsSource {
  const [provider = '', activity, ...more] = text.split('/');
  if (!isProvider(provider) || activity === undefined || more.length > 0) {
    throw wrong('use PROVIDER/ACTIVITY, such as cdl/harvest; a provider has small letters, digits and "-"');
  }
  if (isActivity(activity)) return { provider, activity };
  throw wrong(`use an activity that exists: ${ACTIVITIES.join(', ')}`);
}

function wrong(message: string): TidemarkError {
  return new TidemarkError('invalid', `the records are wrong: ${message}`, { field: 'records' });
}
