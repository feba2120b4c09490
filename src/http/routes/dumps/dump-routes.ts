import * as z from 'zod';
import { changeDumpSchema, changeDumpView, dumpSchema, dumpView } from '../../../api/dump-view.ts';
import { count } from '../../../api/fields.ts';
import { jobSchema, jobView } from '../../../api/job-view.ts';
import { setOf } from '../../request/admitted.ts';
import { json, NO_PARAMETERS } from '../../request/operation.ts';
import { limit, text } from '../../request/query-parameters.ts';
import { get, post, type Route } from '../../request/route.ts';
import type { ServedApp } from '../../request/served-app.ts';
import { sendJson } from '../../response/send-json.ts';

const removedDumpSchema = z
  .strictObject({ set: z.string(), removed: count.describe('Packages, also those that were superseded.') })
  .meta({ id: 'RemovedDump' });

const NO_DUMP = { status: 404, description: 'The set has no Resource Dump.' };
const BUILT_AGAIN = { status: 410, description: 'The dump has no package `after` any more: begin anew without it.' };

/** The contents of dumps, and for administrators, building and removing them. */
export function dumpRoutes({
  publishing: { dumps },
  jobs: { dumps: dumpJobs },
  configuration: { baseUrl },
}: ServedApp): readonly Route[] {
  return [
    get('/api/sets/:set/dump', {
      action: 'read-state',
      id: 'showDump',
      tag: 'dumps',
      summary: 'The Resource Dump of a set, with its packages',
      query: z.strictObject({
        limit: limit({ usual: 1_000, most: 10_000 }),
        after: text(
          'Only the packages after this one: the `next` of the answer before.',
          '1-00000001-1795500000000000-1-5f0c31d2',
        ),
      }),
      answers: [json(dumpSchema, 'The dump, with some of its packages.'), NO_DUMP, BUILT_AGAIN],
      async handle(_request, response, { limit, after }) {
        const set = setOf(response);
        sendJson(response, dumpView(await dumps.known.dumpOf(set), { set: set.slug, baseUrl, limit, after }));
      },
    }),

    get('/api/sets/:set/change-dump', {
      action: 'read-state',
      id: 'showChangeDump',
      tag: 'dumps',
      summary: 'The Change Dump of a set, with its packages',
      query: z.strictObject({
        limit: limit({ usual: 1_000, most: 10_000 }),
        after: text('Only the packages after this one: the `next` of the answer before.', '1-00000001-1-5f0c31d2'),
      }),
      answers: [
        json(changeDumpSchema, 'The dump, with some of its packages.'),
        { status: 404, description: 'The set has no Change Dump.' },
        BUILT_AGAIN,
      ],
      async handle(_request, response, asked) {
        const set = setOf(response);
        const packages = await dumps.known.changePackagesOf(set);
        sendJson(response, changeDumpView(packages, { set: set.slug, baseUrl, ...asked }));
      },
    }),

    post('/api/sets/:set/dump/build', {
      action: 'administer',
      id: 'buildDump',
      tag: 'dumps',
      summary: 'Builds the Resource Dump of a set anew where the set has changed',
      description:
        'Adds a job, which any process of the source may run. While one of the set waits, it is returned, and none is added.',
      query: NO_PARAMETERS,
      answers: [
        { ...json(jobSchema, 'The job: `GET /api/jobs/{name}` says how far it is.', 202), headers: ['Location'] },
        { status: 409, description: 'The bytes of the set are elsewhere.' },
      ],
      async handle(_request, response) {
        const job = jobView(await dumpJobs.add(setOf(response)));
        response.location(`../../../jobs/${job.name}`);
        sendJson(response, job, 202);
      },
    }),

    post('/api/sets/:set/dump/remove', {
      action: 'administer',
      id: 'removeDump',
      tag: 'dumps',
      summary: 'Removes the Resource Dump of a set, with all its packages',
      description: 'A build that is under way fails.',
      query: NO_PARAMETERS,
      answers: [json(removedDumpSchema, 'How many packages were removed; none when there was no dump.')],
      async handle(_request, response) {
        const { slug } = setOf(response);
        sendJson(response, { set: slug, removed: await dumps.remove(slug) });
      },
    }),
  ];
}
