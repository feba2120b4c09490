import type { ResourceSet } from '../../core/resource-set.ts';
import type { Configuration } from '../configuration.ts';
import { exclusionsOfOwnFiles } from '../own-files.ts';
import { type SetValues, toSetFields } from './set-settings.ts';

/**
 * New values of a set's settings, converted to properties of the set. New exclusions still exclude this program's own
 * files.
 * @throws TidemarkError `invalid` when the set cannot have one of them
 */
export function changedFields(values: SetValues, set: ResourceSet, configuration: Configuration) {
  // A form contains all settings, including those that only its organization may change.
  const isSame = values.private === (set.private === true);
  const fields = toSetFields(isSame ? { ...values, private: undefined } : values, set.origin);
  if (values.exclude === undefined) return fields;
  const given = values.exclude ?? [];
  const own = exclusionsOfOwnFiles(set.origin, configuration).filter((pattern) => !given.includes(pattern));
  return { ...fields, exclude: [...given, ...own] };
}
