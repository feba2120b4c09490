import type { Request, Response } from 'express';
import { administers } from '../../../access/may.ts';
import { newRunSchema, parseRunCursor, runCursor, runView, scheduleViews } from '../../../api/activity-run-view.ts';
import { readsFiles } from '../../../api/require-allowed-run.ts';
import { type ActivityRun, isOpenRun } from '../../../records/runs/activity-run.ts';
import { organizationOf, senderOf } from '../../request/admitted.ts';
import { checkBody } from '../../request/parse-json-body.ts';
import { readForm } from '../../request/read-form.ts';
import { get, post, type Route } from '../../request/route.ts';
import { queueRequested, repeatRequested, runOf } from '../../request/run-requests.ts';
import type { ServedApp } from '../../request/served-app.ts';
import { attempting } from '../manage/attempting.ts';
import type { RejectedForm } from '../manage/set-pages.ts';
import { organizationFrameOf } from '../organizations/organization-frame.ts';
import { sendPage } from '../parts/send-page.ts';
import { ADD_RUN, REPEAT_RUN, RUN, RUNS } from './activity-page-operations.ts';
import { renderRunPage } from './run-page.ts';
import { renderRunsPage } from './runs-page.ts';

const AT = '/organizations/:org/activities';
const RUNS_PER_PAGE = 50;
const ERRORS_PER_PAGE = 50;
const TEXTS = ['activity', 'from', 'input', 'transform'] as const;
const FLAGS = ['writePlan', 'acceptDrop'] as const;

/** Pages of runs of activities, and the forms that add one. @param stopping ends bodies that are being read */
export function activityPageRoutes(app: ServedApp, stopping: AbortSignal): readonly Route[] {
  const { runs } = app.records;
  const { idleTimeoutMs } = app.configuration;
  const isWhole = (response: Response) => administers(senderOf(response));

  async function showRuns(
    request: Request,
    response: Response,
    { after, attempt }: { after?: string | undefined; attempt?: RejectedForm } = {},
  ) {
    const organization = organizationOf(response);
    const place = after === undefined ? undefined : parseRunCursor(after);
    const filter = { after: place, limit: RUNS_PER_PAGE + 1 };
    const [frame, found] = await Promise.all([
      organizationFrameOf(app, request, response),
      runs.list(organization.id, filter),
    ]);
    const shown = found.slice(0, RUNS_PER_PAGE);
    const page = renderRunsPage({
      ...frame,
      runs: shown.map((run) => runView(run, isWhole(response))),
      schedules: scheduleViews(organization, isWhole(response)),
      next: found.length > RUNS_PER_PAGE ? runCursor(shown.at(-1)!) : undefined,
      isFirst: place === undefined,
      given: attempt?.form,
      problem: attempt?.problem,
    });
    sendPage(response, page, attempt === undefined ? 200 : 400);
  }

  return [
    get(`${AT}/`, {
      action: 'read-organization',
      ...RUNS,
      handle: (request, response, { after }) => showRuns(request, response, { after }),
    }),

    post(`${AT}/`, {
      action: 'upload-files',
      ...ADD_RUN,
      async handle(request, response) {
        const given = await readForm(request, { idleTimeoutMs, stopping });
        const show = (attempt: RejectedForm) => showRuns(request, response, { attempt });
        await attempting({ form: given, show }, async () => {
          const { activity, number } = await queueRequested(app, response, checkBody(newRunSchema, valuesOf(given)));
          response.redirect(303, `./${activity}/${number}/`);
        });
      },
    }),

    get(`${AT}/:activity/:number/`, {
      action: 'read-organization',
      ...RUN,
      async handle(request, response, { errors: at = 0 }) {
        const run = await runOf(runs, request);
        const [frame, errata] = await Promise.all([
          organizationFrameOf(app, request, response),
          runs.errata(run, { at, limit: ERRORS_PER_PAGE }),
        ]);
        const mayRepeat = frame.mayUpload && canRepeat(run) && (isWhole(response) || !readsFiles(run.options));
        sendPage(response, renderRunPage({ ...frame, run: runView(run, isWhole(response)), errata, at, mayRepeat }));
      },
    }),

    post(`${AT}/:activity/:number/again`, {
      action: 'upload-files',
      ...REPEAT_RUN,
      async handle(request, response, { drop }) {
        const run = await runOf(runs, request);
        const { number } = await repeatRequested(app, response, run, drop === 'accept');
        response.redirect(303, `../${number}/`);
      },
    }),
  ];
}

/** Standard input cannot be read again. */
function canRepeat(run: ActivityRun): boolean {
  return !isOpenRun(run) && run.options.from !== '-';
}

function valuesOf(form: URLSearchParams): object {
  const texts = TEXTS.map((name) => [name, form.get(name)?.trim() || undefined]);
  const flags = FLAGS.map((name) => [name, form.get(name) === 'yes' || undefined]);
  return Object.fromEntries([...texts, ...flags].filter(([, value]) => value !== undefined));
}
