import { jobView } from '../../../api/job-views.ts';
import { newStreamDumpSchema } from '../../../api/stream-dump-schemas.ts';
import { streamDumpsView } from '../../../api/stream-dump-views.ts';
import { param } from '../../request/admitted.ts';
import { parseJsonBody } from '../../request/parse-json-body.ts';
import { readBody, requestBody } from '../../request/request-body.ts';
import { get, post, type Route } from '../../request/route.ts';
import type { ServedApp } from '../../request/served-app.ts';
import { sendJson } from '../../response/send-json.ts';
import { LIST_STREAM_DUMPS, MAKE_STREAM_DUMP } from './stream-dump-operations.ts';

const MOST_BYTES = 4_096;

/** Dumps of the records of streams. @param stopping ends bodies that are being read when the server stops */
export function streamDumpRoutes(app: ServedApp, stopping: AbortSignal): readonly Route[] {
  const { organizations } = app.records;
  const { streamDumps: streamDumpJobs } = app.jobs;
  const { configuration } = app;
  const { idleTimeoutMs } = configuration;
  return [
    get('/api/organizations/:org/dumps', {
      action: 'read-organization',
      operation: LIST_STREAM_DUMPS,
      async handle(request, response, { stream }) {
        const organization = param(request, 'org');
        await organizations.requireStream(organization, stream);
        sendJson(response, await streamDumpsView({ organization, stream }, app));
      },
    }),

    post('/api/organizations/:org/dumps', {
      action: 'administer',
      operation: MAKE_STREAM_DUMP,
      async handle(request, response) {
        const body = await readBody(requestBody(request, { idleTimeoutMs, stopping }), MOST_BYTES);
        const { kind, stream } = parseJsonBody(newStreamDumpSchema, body);
        const organization = param(request, 'org');
        await organizations.requireStream(organization, stream);
        const job = jobView(await streamDumpJobs.add({ organization, stream, kind }));
        response.locals.subject = organization;
        response.location(`../../jobs/${job.name}`);
        sendJson(response, job, 202);
      },
    }),
  ];
}
