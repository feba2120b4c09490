import { ACTIVITIES, isActivity, isProvider } from '../../artifacts/keys/activity.ts';
import { TidemarkError } from '../../core/errors.ts';
import { type Origin, type ProviderActivity, traitsOf } from '../../core/origin.ts';
import { ADD, one, setting, text } from './set-setting.ts';

/** The setting of a set whose resources are records of artifacts. */
export const RECORDS_SETTING = {
  records: setting({
    field: 'origin',
    schema: text,
    meaning:
      'PROVIDER/ACTIVITY, such as cdl/harvest: the resources are the records of the newest artifact of that (docs/artifacts.md).',
    default: '(none)',
    givenTo: ADD,
    source: {
      text: 'records (--records PROVIDER/ACTIVITY)',
      summary: 'the records of artifacts (--records)',
      origin: (records) => ({ kind: 'artifact', ...parseProviderActivity(records) }),
    },
    flags: [one('--records <provider/activity>', text)],
    show: (origin: Origin) => traitsOf(origin).records,
  }),
} as const;

/** Reads `cdl/harvest`. @throws TidemarkError `invalid` */
function parseProviderActivity(text: string): ProviderActivity {
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
