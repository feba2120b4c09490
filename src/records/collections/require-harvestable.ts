import { TidemarkError } from '../../core/errors.ts';
import { nearestName } from '../../lib/nearest-name.ts';
import type { DescribedRepository } from '../arrivals/oai-harvest/describe-repository.ts';
import type { CollectionFields } from './collection.ts';

/** Names that a message lists. */
const MOST_LISTED = 20;

/** @throws TidemarkError `invalid` when the repository has no such format or set, with the names that it has */
export function requireHarvestable(
  { format, sets }: Pick<CollectionFields, 'format' | 'sets'>,
  { description, missingSets }: DescribedRepository,
): void {
  const formats = description.formats.map(({ prefix }) => prefix);
  if (!formats.includes(format)) {
    throw new TidemarkError('invalid', `the repository has no format ${quoted(format)}${advice(format, formats)}`, {
      field: 'format',
    });
  }
  if (sets.length > 0 && description.sets === undefined) {
    const message = 'the repository has no sets: leave them out, to harvest all of its records';
    throw new TidemarkError('invalid', message, { field: 'sets' });
  }
  const [missing] = missingSets;
  if (missing === undefined) return;
  const known = (description.sets ?? []).map(({ spec }) => spec);
  throw new TidemarkError('invalid', `the repository has no set ${quoted(missing)}${advice(missing, known)}`, {
    field: 'sets',
  });
}

/** What was probably meant, and what exists. */
function advice(name: string, known: readonly string[]): string {
  const meant = nearestName(name, known);
  const others = known.filter((one) => one !== meant);
  const listed = [...(meant === undefined ? [] : [meant]), ...others].slice(0, MOST_LISTED);
  const more = known.length > listed.length ? ` and ${known.length - listed.length} more` : '';
  const question = meant === undefined ? '' : `: did you mean ${quoted(meant)}?`;
  return `${question}${question === '' ? ': it' : ' It'} has ${listed.join(', ') || 'none'}${more}`;
}

const quoted = (text: string): string => JSON.stringify(text.slice(0, 200));
