import * as z from 'zod';
import { archiveSchema, archiveView } from '../../../api/archive-view.ts';
import { jobSchema, jobView } from '../../../api/job-view.ts';
import { setOf } from '../../request/admitted.ts';
import { json, NO_PARAMETERS } from '../../request/operation.ts';
import { limit, time } from '../../request/query-parameters.ts';
import { get, post, type Route } from '../../request/route.ts';
import type { ServedApp } from '../../request/served-app.ts';
import { sendJson } from '../../response/send-json.ts';

/** The archives of a set. */
export function archiveRoutes({
  publishing: { listArchives },
  jobs: { lists: listJobs },
  configuration: { baseUrl },
}: ServedApp): readonly Route[] {
  return [
    get('/api/sets/:set/archive', {
      action: 'read-state',
      id: 'showArchive',
      tag: 'sets',
      summary: 'The archived Resource Lists and Resource Dumps of a set, the newest first',
      query: z.strictObject({
        limit: limit({ usual: 100, most: 10_000 }),
        before: time('Only those of a time before this one, such as the `at` of the last one of an answer.'),
      }),
      answers: [json(archiveSchema, 'The lists and dumps; none when none was kept.')],
      async handle(_request, response, asked) {
        const set = setOf(response);
        sendJson(response, archiveView(await listArchives.archiveOf(set), { set: set.slug, baseUrl, ...asked }));
      },
    }),

    post('/api/sets/:set/archive/keep', {
      action: 'administer',
      id: 'keepList',
      tag: 'sets',
      summary: 'Keeps the Resource List of a set as it is now, and its dump, in its archives, if the set has changed',
      description:
        'Adds a job, which any process of the source may run. While one of the set waits, it is returned, and none is added.',
      query: NO_PARAMETERS,
      answers: [
        { ...json(jobSchema, 'The job: `GET /api/jobs/{name}` says how far it is.', 202), headers: ['Location'] },
      ],
      async handle(_request, response) {
        const job = jobView(await listJobs.add(setOf(response)));
        response.location(`../../../jobs/${job.name}`);
        sendJson(response, job, 202);
      },
    }),
  ];
}
