import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import type { Request, Response } from 'express';
import * as z from 'zod';
import { administers } from '../../../access/may.ts';
import {
  activitySchema,
  newRunSchema,
  newScheduleSchema,
  parseRunCursor,
  runCursor,
  runErratumSchema,
  runErrorView,
  runSchema,
  runsSchema,
  runView,
  scheduleSchema,
  scheduleViews,
  shownRunSchema,
} from '../../../api/activity-run-view.ts';
import { requireAllowedRun } from '../../../api/require-allowed-run.ts';
import { requireRunnable } from '../../../records/activities/activities.ts';
import { organizationOf, param, senderOf } from '../../request/admitted.ts';
import { json, NO_PARAMETERS } from '../../request/operation.ts';
import { parseJsonBody } from '../../request/parse-json-body.ts';
import { limit as limitOf } from '../../request/query-parameters.ts';
import { readBody, requestBody } from '../../request/request-body.ts';
import { get, post, type Route, remove } from '../../request/route.ts';
import { queueRequested, runOf } from '../../request/run-requests.ts';
import type { ServedApp } from '../../request/served-app.ts';
import { setCaching } from '../../response/caching.ts';
import { sendJson } from '../../response/send-json.ts';

const NO_RUN = { status: 404, description: 'There is no such run.' };

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
      id: 'runActivity',
      tag: 'activities',
      summary: 'Adds a run of an activity, which a job makes',
      description:
        'Reading files of the server (`from`, or a mapping or sheet as `transform`) is for administrators, and only below a root of the setting `apiRoots`. Modules are for the command line alone.',
      query: NO_PARAMETERS,
      body: { 'application/json': newRunSchema },
      answers: [
        { ...json(runSchema, 'The run, which waits for its job.', 201), headers: ['Location'] },
        { status: 404, description: 'There is no such organization.' },
      ],
      async handle(request, response) {
        const body = await readBody(requestBody(request, { idleTimeoutMs, stopping }), MOST_BYTES);
        const run = await queueRequested(app, response, parseJsonBody(newRunSchema, body));
        response.location(`activities/${run.activity}/${run.number}`);
        sendJson(response, runView(run, isWhole(response)), 201);
      },
    }),

    get(AT, {
      action: 'read-organization',
      id: 'listActivityRuns',
      tag: 'activities',
      summary: 'The runs of activities of an organization, by commands and jobs, newest first',
      query: z.strictObject({
        activity: activitySchema.optional().meta({ description: 'Only runs of this one.', examples: ['mapping'] }),
        after: z
          .string()
          .regex(/^\d{1,15}\.[a-z]{1,20}\.\d{1,9}$/, 'is what `after` of a response was')
          .optional()
          .meta({ description: 'What `after` of the response before was.' }),
        limit: limitOf({ usual: 20, most: 200 }),
      }),
      answers: [json(runsSchema, 'The runs.'), { status: 404, description: 'There is no such organization.' }],
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

    post('/api/organizations/:org/schedules/:activity', {
      action: 'administer',
      id: 'scheduleActivity',
      tag: 'activities',
      summary: 'Sets when an activity of an organization runs by itself: at times, or after another activity',
      description: 'It replaces the schedule that the activity had. Files are below a root of the setting `apiRoots`.',
      query: NO_PARAMETERS,
      body: { 'application/json': newScheduleSchema },
      answers: [json(scheduleSchema, 'The schedule.'), { status: 404, description: 'There is no such organization.' }],
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

    remove('/api/organizations/:org/schedules/:activity', {
      action: 'administer',
      id: 'unscheduleActivity',
      tag: 'activities',
      summary: 'Removes the schedule of an activity',
      query: NO_PARAMETERS,
      answers: [
        { status: 204, description: 'It has none.' },
        { status: 404, description: 'There is no such organization.' },
      ],
      async handle(request, response) {
        await organizations.schedule(param(request, 'org'), requireRunnable(param(request, 'activity')), undefined);
        response.status(204).end();
      },
    }),

    get(`${AT}/:activity/:number`, {
      action: 'read-organization',
      id: 'showActivityRun',
      tag: 'activities',
      summary: 'A run of an activity: state, numbers, first errors, artifact and plan',
      query: NO_PARAMETERS,
      answers: [json(shownRunSchema, 'The run.'), NO_RUN],
      async handle(request, response) {
        const run = await runOf(runs, request);
        const { errata } = await runs.errata(run, { limit: FIRST_ERRORS });
        sendJson(response, { ...runView(run, isWhole(response)), firstErrors: errata.map(runErrorView) });
      },
    }),

    get(`${AT}/:activity/:number/errors`, {
      action: 'read-organization',
      id: 'listActivityRunErrors',
      tag: 'activities',
      summary: 'Every record of a run that failed or was left out, with the reason',
      description: 'Streamed: the connection is cut when something fails on the way.',
      query: NO_PARAMETERS,
      answers: [
        {
          status: 200,
          description: 'A line for each; empty when there is none.',
          content: { 'application/x-ndjson': { lines: runErratumSchema } },
        },
        NO_RUN,
      ],
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
