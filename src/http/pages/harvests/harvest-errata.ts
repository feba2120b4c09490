import type { HarvestView } from '../../../api/harvest-run-view.ts';
import type { ReasonView } from '../../../api/reason-view.ts';
import { formatCount } from '../../../lib/format-count.ts';
import type { Erratum } from '../../../records/errata/erratum.ts';
import { erratumReason, erratumText } from '../organizations/errata-parts.ts';
import { type Html, html } from '../parts/html.ts';
import { stackingTable } from '../parts/tables.ts';

/** How many errors have which reason, and some of them. @param title of the table, for screen readers */
export function errataTables(
  title: string,
  reasons: NonNullable<HarvestView['outcome']>['reasons'],
  errata: readonly Erratum[],
): Html {
  return html`${
    reasons.length > 0 &&
    stackingTable('Reasons, the most frequent first', reasons, [
      { name: 'Reason', style: 'name', isHead: true, cell: reasonCell },
      { name: 'Records', style: 'number', cell: ({ count }) => formatCount(count) },
    ])
  }
${reasons.length > 0 && html`<h3>Examples</h3>`}
${stackingTable(title, errata, [
  { name: 'Record', style: 'name', isHead: true, cell: recordName },
  { name: 'Byte', style: 'number', cell: ({ offset }) => offset !== undefined && formatCount(offset) },
  { name: 'Reason', style: 'name', cell: (erratum) => html`${erratumText(erratum)}${erratumReason(erratum)}` },
])}`;
}

function reasonCell({ reason, warning, cause, advice }: ReasonView): Html {
  return html`${warning && html`<span class="state reading">warning</span> `}${reason}${cause !== undefined && html`<span class="more-of">${cause} ${advice}</span>`}`;
}

/** Its identifier, and where it is: the tar is the same for all, so only the name of the response is shown. */
function recordName({ id, path, ordinal }: Erratum): Html {
  const place = [path?.at(-1), ordinal !== undefined && `number ${formatCount(ordinal)}`].filter(Boolean);
  return html`${id ?? 'without an identifier'}<span class="more-of">${place.join(', ')}</span>`;
}
