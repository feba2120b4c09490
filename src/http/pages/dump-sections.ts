import type { JobView } from '../../api/job-view.ts';
import { jobView } from '../../api/job-view.ts';
import { unlessNotFound } from '../../core/errors.ts';
import { traitsOf } from '../../core/origin.ts';
import type { ResourceSet } from '../../core/resource-set.ts';
import { formatBytes } from '../../lib/format-bytes.ts';
import { formatCount } from '../../lib/format-count.ts';
import { type StoredArchive, timeName } from '../../publish/archives/stored-archive.ts';
import { documentUri } from '../../publish/documents.ts';
import { type Dump, dumpTotals } from '../../publish/dumps/stored-dump.ts';
import { setOf } from '../request/admitted.ts';
import { post, type Route } from '../request/route.ts';
import type { ServedApp } from '../request/served-app.ts';
import { linkTo } from './parts/frame.ts';
import { type Html, html } from './parts/html.ts';
import { isOpen, lastJob } from './parts/job-parts.ts';
import type { SetFrame } from './parts/set-frame.ts';
import { facts, table } from './parts/tables.ts';
import { counted, timeElement } from './parts/words.ts';

/** The buttons on the page of a set that build its Resource Dump, or keep its Resource List. */
export function dumpPageRoutes({ jobs: { dumps: dumpJobs, lists: listJobs } }: ServedApp): readonly Route[] {
  return [
    post('/sets/:set/dump/build', {
      action: 'administer',
      id: 'buildDumpByForm',
      tag: 'pages',
      summary: 'Adds a job that builds the Resource Dump of a set, and leads back to the page of the set',
      answers: [
        { status: 303, description: 'It was added, or one waits already.', headers: ['Location'] },
        { status: 409, description: 'The bytes of the set are elsewhere.' },
      ],
      async handle(_request, response) {
        await dumpJobs.add(setOf(response));
        response.redirect(303, '../#dump');
      },
    }),

    post('/sets/:set/archive/keep', {
      action: 'administer',
      id: 'keepListByForm',
      tag: 'pages',
      summary: 'Adds a job that keeps the Resource List of a set in its archive, and leads back to the page of the set',
      answers: [{ status: 303, description: 'It was added, or one waits already.', headers: ['Location'] }],
      async handle(_request, response) {
        await listJobs.add(setOf(response));
        response.redirect(303, '../#archive');
      },
    }),
  ];
}

/** The dump for the page of a set; undefined when the set can have none. */
export async function shownDump(
  { publishing: { dumps }, jobs: { dumps: dumpJobs } }: ServedApp,
  set: ResourceSet,
  isAdministrator: boolean,
): Promise<ShownDump | undefined> {
  const { source, reasonForNoDump } = traitsOf(set.origin);
  if (source === undefined || reasonForNoDump !== undefined) return undefined;
  const [dump, job] = await Promise.all([
    unlessNotFound(dumps.known.dumpOf(set)),
    isAdministrator ? dumpJobs.latest(set) : undefined,
  ]);
  return { dump, job: job && jobView(job) };
}

/** The archived lists for the page of a set. */
export async function shownArchive(
  { publishing: { listArchives }, jobs: { lists: listJobs } }: ServedApp,
  set: ResourceSet,
  isAdministrator: boolean,
): Promise<ShownArchive> {
  const [{ lists }, job] = await Promise.all([
    listArchives.archiveOf(set),
    isAdministrator ? listJobs.latest(set) : undefined,
  ]);
  return { lists, job: job && jobView(job) };
}

export interface ShownDump {
  /** Undefined when none was built. */
  readonly dump: Dump | undefined;
  /** The last job that builds it; for administrators. */
  readonly job: JobView | undefined;
}

/** The Resource Dump of a set: its contents, the result of the last build, and a button that builds it. */
export function dumpSection(page: SetFrame, { dump, job }: ShownDump): Html {
  const { set, frame } = page;
  const { isAdministrator } = frame.viewer;
  return html`<h2 id="dump">Resource Dump</h2>
${dump === undefined ? html`<p class="quiet">None was built yet. A dump has all resources in a few large files, for a first copy.</p>` : dumpFacts(dump, page)}
${isAdministrator && job !== undefined && lastJob('Last build', job, frame.top)}
${isAdministrator && !isOpen(job) && html`<form method="post" action="./dump/build"><button class="small">Build it<span class="hidden"> the Resource Dump of ${set.slug}</span></button></form>`}`;
}

function dumpFacts(dump: Dump, { set, frame }: SetFrame): Html {
  const { packages, resources, missing, bytes } = dumpTotals(dump);
  const uri = documentUri(frame.baseUrl, { kind: 'resourceDump', set: set.slug });
  return facts([
    ['Packages', html`<a href="${linkTo(uri, frame)}">${counted(packages, 'package')}</a>, ${formatBytes(bytes)}`],
    ['Resources', formatCount(resources)],
    ['Missing', missing === 0 ? undefined : `${counted(missing, 'resource')} that changed meanwhile: build it again`],
    ['Has all changes until', timeElement(dump.at, frame.now)],
    ['Built', timeElement(dump.completed, frame.now)],
  ]);
}

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
