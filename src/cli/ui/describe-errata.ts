import type { ReasonView } from '../../api/reason-view.ts';
import { formatCount } from '../../lib/format-count.ts';
import type { Erratum } from '../../records/errata/erratum.ts';
import { printableLine } from './printable.ts';
import { plural } from './table.ts';

/** A group of errata in lines: how many, what is wrong, the likely cause, and what to do. */
export function describeReason({ reason, count, warning, cause, advice }: ReasonView): string[] {
  return [
    `${plural(count, 'time')}: ${warning ? 'warning: ' : ''}${reason}`,
    ...(cause === undefined ? [] : [`  Likely cause: ${cause}`, `  What to do: ${advice}`]),
  ].map(printableLine);
}

/** A record with a fault: `record 17 (ocm123), A title`. @param unit what its number counts */
export function describeRecord({ ordinal = 0, id, title }: Erratum, unit: string): string {
  const which = id === undefined ? '' : ` (${id})`;
  return printableLine(`${unit} ${formatCount(ordinal)}${which}${title === undefined ? '' : `, ${title}`}`);
}

/** The fault of a record, and the text around it, with the fault between » and «. */
export function describeErratum({ reason, before = '', fault, after = '' }: Erratum): string {
  return printableLine(fault === undefined ? reason : `${reason}: ${before}»${fault}«${after}`);
}
