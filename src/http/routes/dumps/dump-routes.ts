import { changeDumpView, dumpView } from '../../../api/dump-views.ts';
import { jobView } from '../../../api/job-views.ts';
import { setOf } from '../../request/admitted.ts';
import { get, post, type Route } from '../../request/route.ts';
import type { ServedApp } from '../../request/served-app.ts';
import { sendJson } from '../../response/send-json.ts';
import { BUILD_DUMP, REMOVE_DUMP, SHOW_CHANGE_DUMP, SHOW_DUMP } from './dump-operations.ts';

/** The contents of dumps, and for administrators, building and removing them. */
export function dumpRoutes({
  publishing: { dumps },
  jobs: { dumps: dumpJobs },
  configuration: { baseUrl },
}: ServedApp): readonly Route[] {
  return [
    get('/api/sets/:set/dump', {
      action: 'read-state',
      operation: SHOW_DUMP,
      async handle(_request, response, { limit, after }) {
        const set = setOf(response);
        sendJson(response, dumpView(await dumps.known.dumpOf(set), { set: set.slug, baseUrl, limit, after }));
      },
    }),

    get('/api/sets/:set/change-dump', {
      action: 'read-state',
      operation: SHOW_CHANGE_DUMP,
      async handle(_request, response, asked) {
        const set = setOf(response);
        const packages = await dumps.known.changePackagesOf(set);
        sendJson(response, changeDumpView(packages, { set: set.slug, baseUrl, ...asked }));
      },
    }),

    post('/api/sets/:set/dump/build', {
      action: 'administer',
      operation: BUILD_DUMP,
      async handle(_request, response) {
        const job = jobView(await dumpJobs.add(setOf(response)));
        response.location(`../../../jobs/${job.name}`);
        sendJson(response, job, 202);
      },
    }),

    post('/api/sets/:set/dump/remove', {
      action: 'administer',
      operation: REMOVE_DUMP,
      async handle(_request, response) {
        const { slug } = setOf(response);
        sendJson(response, { set: slug, removed: await dumps.remove(slug) });
      },
    }),
  ];
}
