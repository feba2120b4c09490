import type { RunView, ScheduleView } from '../../../api/activity-run-view.ts';
import { RUNNABLE_ACTIVITIES } from '../../../records/activities/activities.ts';
import type { FormValues } from '../manage/set-form.ts';
import {
  type OrganizationFrame,
  organizationTitle,
  renderOrganizationFrame,
} from '../organizations/organization-frame.ts';
import { AGAIN, isOpen, runTable, whenText } from '../organizations/run-parts.ts';
import { type Html, html } from '../parts/html.ts';
import { onward, queryOf } from '../parts/pager.ts';
import { problemNotice } from '../parts/problem-notice.ts';
import { stackingTable } from '../parts/tables.ts';

interface RunsPage extends OrganizationFrame {
  readonly runs: readonly RunView[];
  readonly schedules: readonly ScheduleView[];
  /** Where the next page begins. */
  readonly next: string | undefined;
  /** Whether this is the first page. */
  readonly isFirst: boolean;
  /** What was given in the form, when it is wrong. */
  readonly given?: FormValues | undefined;
  readonly problem?: string | undefined;
}

/** The runs of activities of an organization, when they run by themselves, and a form that adds one. */
export function renderRunsPage(page: RunsPage): string {
  const { organization, runs, frame, next, isFirst, mayUpload, problem } = page;
  const main = html`${problemNotice(problem)}
<p class="lead">Runs of activities make artifacts of records: files that never change.</p>
${scheduleSection(page)}
<h2>Runs</h2>
${runs.length === 0 ? html`<p class="quiet">No activity has run yet.</p>` : runTable(runs, { home: './', now: frame.now })}
${onward(
  isFirst ? undefined : { name: 'Latest', href: './' },
  next === undefined ? undefined : { name: 'Earlier', href: queryOf({ after: next }) },
)}
${mayUpload && form(page)}`;
  return renderOrganizationFrame(page, {
    above: [[organizationTitle(organization), '']],
    heading: 'Activities',
    title: `Activities – ${organizationTitle(organization)}`,
    main,
    again: problem === undefined && isFirst && runs.some(isOpen) ? AGAIN : undefined,
  });
}

function scheduleSection({ schedules, organization, frame }: RunsPage): Html | undefined {
  if (schedules.length === 0) {
    if (!frame.viewer.isAdministrator) return undefined;
    return html`<p class="quiet">None runs by itself. <code>tidemark activity schedule mapping ${organization.id} --after harvest</code> maps each new harvest.</p>`;
  }
  return html`<h2>Schedules</h2>
${stackingTable('Schedules', schedules, [
  { name: 'Activity', style: 'name', isHead: true, cell: ({ activity }) => activity },
  { name: 'Runs', style: 'name', cell: whenText },
  { name: 'Reads', style: 'name', cell: ({ from }) => from },
  { name: 'Transform', style: 'name', cell: ({ transform }) => transform },
  { name: 'Drop', style: 'short', cell: ({ acceptDrop }) => acceptDrop && 'accepted' },
])}`;
}

function form({ given, frame }: RunsPage): Html {
  const { isAdministrator } = frame.viewer;
  const value = (name: string) => given?.get(name) ?? '';
  const activities = isAdministrator ? RUNNABLE_ACTIVITIES : RUNNABLE_ACTIVITIES.filter((one) => one !== 'harvest');
  const chosen = given === undefined ? 'mapping' : value('activity');
  const field = (name: string, label: string, hint: string) => html`<p><label for="${name}">${label}</label>
<input id="${name}" name="${name}" value="${value(name)}" maxlength="1000" autocomplete="off" autocapitalize="none" spellcheck="false" aria-describedby="${name}-hint">
<span class="hint" id="${name}-hint">${hint}</span></p>`;
  return html`<h2>Run an activity</h2>
<form class="fields" method="post" action="./">
<p><label for="activity">Activity</label>
<select id="activity" name="activity">${activities.map((one) => html`<option value="${one}"${one === chosen && html` selected`}>${one}</option>`)}</select></p>
${isAdministrator && field('from', 'From', 'Only for a harvest: a file of NDJSON, or a folder or s3:// location of documents, below one of the roots that the server may read (--api-roots).')}
${field('input', 'Input', 'The key of the Avro file that is read. Empty: the newest of the activity before. Not for a harvest.')}
${field('transform', 'Transform', `identity or map-3.1${isAdministrator ? ', or the path of a mapping (.json) below one of these roots' : ''}. Empty: the usual one of the activity. Not for a harvest.`)}
<p><label class="box"><input type="checkbox" name="writePlan" value="yes"${value('writePlan') === 'yes' && html` checked`}> Write a plan</label>
<label class="box"><input type="checkbox" name="acceptDrop" value="yes"${value('acceptDrop') === 'yes' && html` checked`}> Accept a drop: publish also when there are far fewer records than before</label></p>
<p><button>Run it</button></p>
</form>`;
}
