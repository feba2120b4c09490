import type { JobView } from '../../api/job-view.ts';
import { formatCount } from '../../lib/format-count.ts';
import { type StoredArchive, timeName } from '../../publish/archives/stored-archive.ts';
import { documentUri } from '../../publish/documents.ts';
import { linkTo } from './parts/frame.ts';
import { type Html, html } from './parts/html.ts';
import { isOpen, lastJob } from './parts/job-parts.ts';
import type { SetFrame } from './parts/set-frame.ts';
import { table } from './parts/tables.ts';
import { timeElement } from './parts/words.ts';

/** Number of lists that are shown; the archive contains all. */
const SHOWN = 5;

export interface ShownArchive extends Pick<StoredArchive, 'lists'> {
  /** The last job that keeps a list; for administrators. */
  readonly job: JobView | undefined;
}

/** The newest lists of the archive, and for administrators a button that keeps the current one. */
export function archiveSection(page: SetFrame, { lists, job }: ShownArchive): Html | undefined {
  const { set, frame } = page;
  const { isAdministrator } = frame.viewer;
  if (lists.length === 0 && !isAdministrator) return undefined;
  return html`<h2 id="archive">Earlier times</h2>
${lists.length === 0 ? html`<p class="quiet">No Resource List was kept yet. A list that is kept shows the set as it was at that time, also after it has changed.</p>` : archivedLists(page, lists)}
${isAdministrator && job !== undefined && lastJob('Last kept by', job, frame.top)}
${isAdministrator && set.ready && !isOpen(job) && html`<form method="post" action="./archive/keep"><button class="small">Keep the present list<span class="hidden"> of ${set.slug}</span></button></form>`}`;
}

function archivedLists({ set, frame }: SetFrame, lists: StoredArchive['lists']): Html {
  const archive = documentUri(frame.baseUrl, { kind: 'resourceListArchive', set: set.slug });
  const uriOf = (time: string) => documentUri(frame.baseUrl, { kind: 'archivedResourceList', set: set.slug, time });
  const shown = table('Archived Resource Lists', lists.slice(-SHOWN).toReversed(), [
    {
      name: 'What there was',
      style: 'short',
      isHead: true,
      cell: ({ at }) => html`<a href="${linkTo(uriOf(timeName(at)), frame)}">${timeElement(at, frame.now)}</a>`,
    },
    { name: 'Resources', style: 'number', cell: ({ resources }) => formatCount(resources) },
  ]);
  return html`${shown}
${lists.length > SHOWN && html`<p class="more"><a href="${linkTo(archive, frame)}">All archived lists</a></p>`}`;
}
