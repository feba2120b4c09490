import type { RunView } from '../../../api/activity-run-view.ts';
import { formatBytes } from '../../../lib/format-bytes.ts';
import { formatCount } from '../../../lib/format-count.ts';
import type { ErrataPage } from '../../../records/errata/read-errata.ts';
import {
  type OrganizationFrame,
  organizationTitle,
  renderOrganizationFrame,
} from '../organizations/organization-frame.ts';
import { AGAIN, isOpen, runState, triggerText } from '../organizations/run-parts.ts';
import { confirmed } from '../parts/confirmed.ts';
import { type Html, html } from '../parts/html.ts';
import { jobLink } from '../parts/job-parts.ts';
import { onward, queryOf } from '../parts/pager.ts';
import { facts, figures, stackingTable } from '../parts/tables.ts';
import { counted, formatDuration, timeOf } from '../parts/words.ts';

interface RunPage extends OrganizationFrame {
  readonly run: RunView;
  readonly errata: ErrataPage;
  /** Offset of the errata of this page, in bytes. */
  readonly at: number;
  readonly mayRepeat: boolean;
}

/** A run: its state, numbers, errors with reasons, artifact, plan, options and job. */
export function renderRunPage(page: RunPage): string {
  const { organization, run, frame } = page;
  const { activity, number, totals, generator, artifact, plan, job, started, ended } = run;
  const heading = `${activity} ${number}`;
  const main = html`${notice(page)}
${totals !== undefined && numbers(totals, artifact === undefined ? 'to write' : 'written')}
${facts([
  ['Added', timeOf(run.added, frame.now)],
  ['By', triggerText(run)],
  ['Started', timeOf(started, frame.now)],
  ['Ended', timeOf(ended, frame.now)],
  ['Took', totals && formatDuration(totals.seconds * 1000)],
  ['Reads', generator && html`<span class="id">${generator}</span>`],
  ['Artifact', artifact && html`<span class="id">${artifact}</span>`],
  ['Size', totals?.bytes === undefined ? undefined : formatBytes(totals.bytes)],
  ['Plan', plan && html`<span class="id">${plan}</span>`],
  [
    'Compared with',
    totals?.previous &&
      html`<span class="id">${totals.previous.artifact}</span>, ${counted(totals.previous.written, 'record')}`,
  ],
  ['Options', optionsText(run)],
  ['Job', job && (frame.viewer.isAdministrator ? jobLink({ name: job }, frame.top) : job)],
])}
${errorSection(page)}`;
  return renderOrganizationFrame(page, {
    above: [
      [organizationTitle(organization), ''],
      ['Activities', 'activities/'],
    ],
    heading: html`${heading} ${runState(run)}`,
    title: `${heading} – ${organizationTitle(organization)}`,
    main,
    again: isOpen(run) ? AGAIN : undefined,
  });
}

function numbers(totals: NonNullable<RunView['totals']>, writtenName: string): Html {
  const { attempted, written, deleted, failed, duplicates, omitted } = totals;
  const main = { read: attempted, [writtenName]: written, failed };
  const others = { deleted, 'replaced by a later one': duplicates, 'left out': omitted };
  const shown = [...Object.entries(main), ...Object.entries(others).filter(([, count]) => count > 0)];
  return figures(shown.map(([name, count]) => [name, formatCount(count)]));
}

function optionsText({ options }: RunView): Html | undefined {
  const given = Object.entries(options);
  if (given.length === 0) return undefined;
  return html`${given.map(([name, value], at) => html`${at > 0 && ', '}${name}${value !== true && html` <code>${String(value)}</code>`}`)}`;
}

function notice({ run, mayRepeat }: RunPage): Html | undefined {
  const { state, failure, totals, activity, number } = run;
  const again = (text: string, consequence: string, query: string) =>
    mayRepeat &&
    confirmed({
      text,
      of: `${activity} ${number}`,
      consequence,
      confirm: text,
      action: `./again${query}`,
      isHarmless: query === '',
    });
  switch (state) {
    case 'waiting':
      return html`<div class="notice" role="status"><p>${failure === undefined ? 'It waits for a server that is free.' : `The last attempt failed: ${failure}. It is tried again by itself.`}</p></div>`;
    case 'failed':
      return html`<div class="notice bad" role="status"><p>${failure}. Nothing was published.</p>
${again('Run it again', 'It reads the same input, with the same options.', '')}</div>`;
    case 'stopped':
      return html`<div class="notice bad" role="status"><p>Nothing was published: ${stopText(totals)}. Check what failed, and the source.</p>
${again('Accept the drop', 'The same input is read again, and published whatever its number of records.', '?drop=accept')}</div>`;
    default:
      return undefined;
  }
}

function stopText(totals: RunView['totals']): string {
  const { previous, drop = 0, written = 0 } = totals ?? {};
  if (previous === undefined || written === 0) return 'there is no record to write';
  return `${counted(written, 'record')} would be ${(drop * 100).toFixed(1)} % fewer than the ${counted(previous.written, 'record')} of the run before`;
}

function errorSection({ run, errata, at, frame }: RunPage): Html | undefined {
  if (run.errors === undefined) return undefined;
  const kinds = Object.entries(run.totals?.errors ?? {});
  return html`<h2 id="errors">Errors</h2>
<p class="quiet">These records are not in the artifact${kinds.length > 0 && `: ${kinds.map(([kind, count]) => `${kind} ${formatCount(count)}`).join(', ')}`}. All errors: <a href="${frame.top}api/${run.errors}">as JSON</a>.</p>
${stackingTable('Errors', errata.errata, [
  {
    name: 'Record',
    style: 'name',
    isHead: true,
    cell: ({ id, line }) =>
      html`${id ?? 'without an id'}${line !== undefined && html`<span class="more-of">line ${formatCount(line)}</span>`}`,
  },
  { name: 'Kind', style: 'short', cell: ({ kind }) => kind },
  { name: 'Reason', style: 'name', cell: ({ reason }) => reason },
])}
${onward(
  at === 0 ? undefined : { name: 'First', href: './#errors' },
  errata.next === undefined ? undefined : { name: 'Next', href: `${queryOf({ errors: String(errata.next) })}#errors` },
)}`;
}
