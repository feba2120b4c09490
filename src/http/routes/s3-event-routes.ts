import * as z from 'zod';
import { TidemarkError } from '../../core/errors.ts';
import { traitsOf } from '../../core/origin.ts';
import type { ResourceSet } from '../../core/resource-set.ts';
import { parseS3Location } from '../../lib/s3/s3-location.ts';
import { setOf } from '../request/admitted.ts';
import { json, NO_PARAMETERS } from '../request/operation.ts';
import { parseJsonBody } from '../request/parse-json-body.ts';
import { readBody, requestBody } from '../request/request-body.ts';
import { post, type Route } from '../request/route.ts';
import type { ServedApp } from '../request/served-app.ts';
import { sendJson } from '../response/send-json.ts';
import { notifiedPaths, s3EventsSchema } from './s3-events.ts';

const resultSchema = z
  .strictObject({
    taken: z.int().min(0).describe('Objects of the root of the set that were checked.'),
    ignored: z.int().min(0).describe('Objects of other buckets and prefixes, or that cannot be resources.'),
    problems: z.array(z.strictObject({ path: z.string(), problem: z.string() })),
    passedTo: z.string().optional().describe('Another server, which scans this set, and will check these objects.'),
  })
  .meta({ id: 'S3EventsTaken', description: 'The result of a notification.' });

/** Most bytes: servers send one event at a time, or a few. */
const MAX_BYTES = 1_048_576;

/** Notifications of S3 servers. @param stopping ends bodies that are being read when the server stops */
export function s3EventRoutes(app: ServedApp, stopping: AbortSignal): readonly Route[] {
  const { idleTimeoutMs } = app.configuration;
  return [
    post('/api/sets/:set/s3-events', {
      action: 'post-changes',
      id: 'postS3Events',
      tag: 'changes',
      summary: 'Takes the notifications of an S3 server',
      description: `Of a set whose root is a bucket. A notification is only a hint: the object is asked for its present state, and what changed
is recorded before the answer comes. So notifications may come twice, late, and in any order. Understood are those of Amazon S3 (also by
EventBridge and SNS), MinIO, Ceph and versitygw.

Any server takes them. 202 means that another one scans this set: the objects are stored for it durably, and are checked within seconds.
503 with \`Retry-After\` means that it takes longer, because a scan is under way, or that no server scans this set: send the
notification again.`,
      query: NO_PARAMETERS,
      body: { 'application/json': s3EventsSchema },
      answers: [json(resultSchema, 'What was checked.'), json(resultSchema, 'What another server will check.', 202)],
      async handle(request, response) {
        const set = setOf(response);
        const body = await readBody(requestBody(request, { idleTimeoutMs, stopping }), MAX_BYTES);
        const { bucket } = traitsOf(set.origin);
        if (bucket === undefined) throw notOnS3(set);
        const { paths, ...counts } = notifiedPaths(parseJsonBody(s3EventsSchema, body), parseS3Location(bucket));
        const scanned = await app.scanners.scanPaths(set, paths);
        sendJson(response, { ...counts, ...scanned }, scanned.passedTo === undefined ? 200 : 202);
      },
    }),
  ];
}

function notOnS3({ slug }: ResourceSet): TidemarkError {
  return new TidemarkError(
    'not-found',
    `the set "${slug}" has no root on S3 that a server could send notifications of`,
    {
      set: slug,
    },
  );
}
