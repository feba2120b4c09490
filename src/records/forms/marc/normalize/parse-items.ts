import { TidemarkError } from '../../../../core/errors.ts';
import { type ItemMapping, USUAL_DESTINATION } from './normalization.ts';

/**
 * Parses `SOURCE:SUBFIELDS` or `SOURCE:DESTINATION:SUBFIELDS`, such as `952:i=p,a=o`. The registry checks tags and
 * codes.
 * @throws TidemarkError `invalid`
 */
export function parseItems(text: string): ItemMapping {
  const parts = text.trim().split(':');
  const codes = parts
    .at(-1)!
    .split(',')
    .map((pair) => pair.trim().split('='));
  if (parts.length < 2 || parts.length > 3 || codes.some((pair) => pair.length !== 2)) {
    throw invalid(text, 'use FIELD:CODE=CODE,…, such as 952:i=p,a=o,m=a');
  }
  const subfields = Object.fromEntries(codes);
  if (Object.keys(subfields).length < codes.length) throw invalid(text, 'a code is given twice');
  return { source: parts[0]!, destination: parts.length === 3 ? parts[1]! : USUAL_DESTINATION, subfields };
}

/** Writes a mapping as text for `parseItems`. */
export function formatItems({ source, destination, subfields }: ItemMapping): string {
  const codes = Object.entries(subfields).map((pair) => pair.join('='));
  return [source, ...(destination === USUAL_DESTINATION ? [] : [destination]), codes.join(',')].join(':');
}

function invalid(text: string, problem: string): TidemarkError {
  const message = `${JSON.stringify(text.slice(0, 100))} is not a mapping of items: ${problem}`;
  return new TidemarkError('invalid', message, { field: 'items' });
}
