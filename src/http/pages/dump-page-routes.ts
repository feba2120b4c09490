import { jobView } from '../../api/job-view.ts';
import { isTidemarkError } from '../../core/errors.ts';
import { traitsOf } from '../../core/origin.ts';
import type { ResourceSet } from '../../core/resource-set.ts';
import { setOf } from '../request/admitted.ts';
import { post, type Route } from '../request/route.ts';
import type { ServedApp } from '../request/served-app.ts';
import type { ShownArchive } from './archive-section.ts';
import type { ShownDump } from './dump-section.ts';

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
    dumps.known.dumpOf(set).catch((error: unknown) => {
      if (isTidemarkError(error, 'not-found')) return undefined;
      throw error;
    }),
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
