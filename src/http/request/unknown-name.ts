import { nearestName } from '../../lib/nearest-name.ts';

/** A message for an unknown parameter or field, which suggests the probable name, or lists the names. */
export function unknownName(what: 'parameter' | 'field', name: string, known: readonly string[]): string {
  const shown = `there is no ${what} ${JSON.stringify(name.slice(0, 80))} here`;
  const meant = nearestName(name, known);
  if (meant !== undefined) return `${shown}: did you mean "${meant}"?`;
  return `${shown}: ${known.length === 0 ? 'there are none' : `there are ${known.join(', ')}`}`;
}
