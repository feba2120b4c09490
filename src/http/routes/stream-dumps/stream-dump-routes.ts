import * as z from 'zod';
import { jobSchema, jobView } from '../../../api/job-view.ts';
import { streamDumpsSchema, streamDumpsView } from '../../../api/stream-dump-view.ts';
import { DUMP_KINDS } from '../../../records/dumps/stored-stream-dump.ts';
import { param } from '../../request/admitted.ts';
import { type Answer, json, NO_PARAMETERS } from '../../request/operation.ts';
import { parseJsonBody } from '../../request/parse-json-body.ts';
import { streamParameter } from '../../request/query-parameters.ts';
import { readBody, requestBody } from '../../request/request-body.ts';
import { get, post, type Route } from '../../request/route.ts';
import type { ServedApp } from '../../request/served-app.ts';
import { sendJson } from '../../response/send-json.ts';

const newStreamDumpSchema = z
  .strictObject({
    kind: z.enum(DUMP_KINDS).describe('A delta that has nothing to go on from becomes a full dump.'),
    stream: z.string().optional().describe('Absent: whichever is the default one.'),
  })
  .meta({ id: 'NewStreamDump', examples: [{ kind: 'full' }] });

const NO_STREAM: Answer = { status: 404, description: 'There is no such organization, or stream of it.' };

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
      id: 'listStreamDumps',
      tag: 'organizations',
      summary: 'The full dumps and deltas of the records of a stream, oldest first',
      description:
        'A client that has taken a full dump takes every delta of a higher number, in order: then it has what the stream has. Full dumps between them have nothing new for it.',
      query: z.strictObject({ stream: streamParameter() }),
      answers: [json(streamDumpsSchema, 'The dumps.'), NO_STREAM],
      async handle(request, response, { stream }) {
        const organization = param(request, 'org');
        await organizations.requireStream(organization, stream);
        sendJson(response, await streamDumpsView({ organization, stream }, app));
      },
    }),

    post('/api/organizations/:org/dumps', {
      action: 'manage-organization',
      id: 'makeStreamDump',
      tag: 'organizations',
      summary: 'Adds a job that makes a full dump or a delta',
      description: 'It waits until no upload of the stream is being applied. A delta with nothing in it is not made.',
      query: NO_PARAMETERS,
      body: { 'application/json': newStreamDumpSchema },
      answers: [
        { ...json(jobSchema, 'The job, or the one that waits already.', 202), headers: ['Location'] },
        NO_STREAM,
      ],
      async handle(request, response) {
        const body = await readBody(requestBody(request, { idleTimeoutMs, stopping }), MOST_BYTES);
        const { kind, stream } = parseJsonBody(newStreamDumpSchema, body);
        const organization = param(request, 'org');
        await organizations.requireDumped(organization, stream);
        const job = jobView(await streamDumpJobs.add({ organization, stream, kind }));
        response.locals.subject = organization;
        response.location(`../../jobs/${job.name}`);
        sendJson(response, job, 202);
      },
    }),
  ];
}
