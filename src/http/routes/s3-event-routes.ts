import { TidemarkError } from '../../core/errors.ts';
import { traitsOf } from '../../core/origin.ts';
import type { ResourceSet } from '../../core/resource-set.ts';
import { parseS3Location } from '../../lib/s3/s3-location.ts';
import { setOf } from '../request/admitted.ts';
import { parseJsonBody } from '../request/parse-json-body.ts';
import { readBody, requestBody } from '../request/request-body.ts';
import { post, type Route } from '../request/route.ts';
import type { ServedApp } from '../request/served-app.ts';
import { sendJson } from '../response/send-json.ts';
import { POST_S3_EVENTS, s3EventsSchema } from './s3-event-operation.ts';
import { notifiedPaths } from './s3-events.ts';

/** Most bytes: servers send one event at a time, or a few. */
const MAX_BYTES = 1_048_576;

/** Notifications of S3 servers. @param stopping ends bodies that are being read when the server stops */
export function s3EventRoutes(app: ServedApp, stopping: AbortSignal): readonly Route[] {
  const { idleTimeoutMs } = app.configuration;
  return [
    post('/api/sets/:set/s3-events', {
      action: 'post-changes',
      operation: POST_S3_EVENTS,
      async handle(request, response) {
        const set = setOf(response);
        const body = await readBody(requestBody(request, { idleTimeoutMs, stopping }), MAX_BYTES);
        const { bucket } = traitsOf(set.origin);
        if (bucket === undefined) throw notOnS3(set);
        const { paths, ...counts } = notifiedPaths(parseJsonBody(s3EventsSchema, body), parseS3Location(bucket));
        const problems = await app.sources.scanPaths(set, paths);
        sendJson(response, { ...counts, problems });
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
