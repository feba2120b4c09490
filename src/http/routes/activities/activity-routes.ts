import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import type { Request, Response } from 'express';
import { administers } from '../../../access/may.ts';
import {
  newRunSchema,
  newScheduleSchema,
  parseRunCursor,
  runCursor,
  runErrorView,
  runView,
  scheduleViews,
} from '../../../api/activity-run-view.ts';
import { requireAllowedRun } from '../../../api/require-allowed-run.ts';
import { requireRunnable } from '../../../records/activities/activities.ts';
import { organizationOf, param, senderOf } from '../../request/admitted.ts';
import { parseJsonBody } from '../../request/parse-json-body.ts';
import { readBody, requestBody } from '../../request/request-body.ts';
import { get, post, type Route, remove } from '../../request/route.ts';
import { queueRequested, runOf } from '../../request/run-requests.ts';
import type { ServedApp } from '../../request/served-app.ts';
import { setCaching } from '../../response/caching.ts';
import { sendJson } from '../../response/send-json.ts';
import {
  LIST_RUN_ERRORS,
  LIST_RUNS,
  RUN_ACTIVITY,
  SCHEDULE_ACTIVITY,
  SHOW_RUN,
  UNSCHEDULE_ACTIVITY,
} from './activity-operations.ts';

const AT = '/api/organizations/:org/activities';
const MOST_BYTES = 65_536;
const FIRST_ERRORS = 20;

/** Runs of activities. @param stopping ends bodies that are being read when the server stops */
export function activityRoutes(app: ServedApp, stopping: AbortSignal): readonly Route[] {
  const {
    records: { organizations, runs },
    configuration,
  } = app;
  const { idleTimeoutMs } = configuration;
  const isWhole = (response: Response) => administers(senderOf(response));

  return [
    post(AT, {
      action: 'upload-files',
      ...RUN_ACTIVITY,
      async handle(request, response) {
        const body = await readBody(requestBody(request, { idleTimeoutMs, stopping }), MOST_BYTES);
        const run = await queueRequested(app, response, parseJsonBody(newRunSchema, body));
        response.location(`activities/${run.activity}/${run.number}`);
        sendJson(response, runView(run, isWhole(response)), 201);
      },
    }),

    get(AT, {
      action: 'read-organization',
      ...LIST_RUNS,
      async handle(request, response, { activity, after, limit }) {
        const organization = param(request, 'org');
        // One more than requested shows whether there are more.
        const filter = { activity, after: after === undefined ? undefined : parseRunCursor(after), limit: limit + 1 };
        const found = await runs.list(organization, filter);
        const shown = found.slice(0, limit);
        sendJson(response, {
          organization,
          schedules: scheduleViews(organizationOf(response), isWhole(response)),
          runs: shown.map((run) => runView(run, isWhole(response))),
          ...(found.length > limit && { after: runCursor(shown.at(-1)!) }),
        });
      },
    }),

    post(`${AT}/:activity/schedule`, {
      action: 'administer',
      ...SCHEDULE_ACTIVITY,
      async handle(request, response) {
        const body = await readBody(requestBody(request, { idleTimeoutMs, stopping }), MOST_BYTES);
        const { cron, after, ...options } = parseJsonBody(newScheduleSchema, body);
        await requireAllowedRun(options, configuration.apiRoots);
        const activity = requireRunnable(param(request, 'activity'));
        const changed = await organizations.schedule(param(request, 'org'), activity, {
          activity,
          cron,
          after,
          options,
        });
        sendJson(response, scheduleViews(changed).find((one) => one.activity === activity)!);
      },
    }),

    remove(`${AT}/:activity/schedule`, {
      action: 'administer',
      ...UNSCHEDULE_ACTIVITY,
      async handle(request, response) {
        await organizations.schedule(param(request, 'org'), requireRunnable(param(request, 'activity')), undefined);
        response.status(204).end();
      },
    }),

    get(`${AT}/:activity/:number`, {
      action: 'read-organization',
      ...SHOW_RUN,
      async handle(request, response) {
        const run = await runOf(runs, request);
        const { errata } = await runs.errata(run, { limit: FIRST_ERRORS });
        sendJson(response, { ...runView(run, isWhole(response)), firstErrors: errata.map(runErrorView) });
      },
    }),

    get(`${AT}/:activity/:number/errors`, {
      action: 'read-organization',
      ...LIST_RUN_ERRORS,
      async handle(request, response) {
        const body = (await runs.openErrata(await runOf(runs, request))) ?? Readable.from([]);
        await sendLines(request, response, body);
      },
    }),
  ];

  async function sendLines(request: Request, response: Response, body: Readable): Promise<void> {
    setCaching(response, 'no-store');
    response.set('Content-Type', 'application/x-ndjson; charset=utf-8');
    if (request.method === 'HEAD') {
      body.destroy();
      response.end();
      return;
    }
    // A client that reads nothing must not occupy a reader of the artifact.
    response.setTimeout(idleTimeoutMs, () => response.destroy());
    await pipeline(body, response);
  }
}
