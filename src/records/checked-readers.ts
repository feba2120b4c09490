import { TidemarkError } from '../core/errors.ts';
import { SLUG } from '../core/resource-set.ts';

export const MOST_READERS = 50;

interface GivenReaders {
  readonly private?: boolean | undefined;
  readonly readers?: readonly string[] | undefined;
}

/**
 * Checks the groups of readers, and removes duplicates and values that are the default. @throws TidemarkError `invalid`
 */
export function checkedReaders({ private: isPrivate = false, readers = [] }: GivenReaders): GivenReaders {
  if (readers.length > MOST_READERS) throw invalid(`there are more than ${MOST_READERS} groups of readers`);
  for (const group of readers) if (!SLUG.test(group)) throw invalid(noGroup(group));
  if (!isPrivate && readers.length > 0) {
    throw invalid('a public organization is for everybody: make it private, or name no groups of readers');
  }
  return { ...(isPrivate && { private: true }), ...(readers.length > 0 && { readers: [...new Set(readers)] }) };
}

function noGroup(text: string): string {
  const shown = JSON.stringify(text.slice(0, 80));
  return `${shown} is not a valid group name: use lower-case letters, digits, ".", "_" or "-", beginning and ending with a letter or digit`;
}

function invalid(message: string): TidemarkError {
  return new TidemarkError('invalid', message, { field: 'readers' });
}
