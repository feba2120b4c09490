import * as z from 'zod';
import {
  activitySchema,
  newRunSchema,
  newScheduleSchema,
  runErratumSchema,
  runSchema,
  runsSchema,
  scheduleSchema,
  shownRunSchema,
} from '../../../api/activity-run-view.ts';
import { json, NO_PARAMETERS, type Operation } from '../../request/operation.ts';
import { limit } from '../../request/query-parameters.ts';

/** Requests and responses about runs of activities; activity-routes.ts handles them. */

const NO_RUN = { status: 404, description: 'There is no such run.' };

export const RUN_ACTIVITY = {
  id: 'runActivity',
  tag: 'activities',
  summary: 'Adds a run of an activity, which a job makes',
  description:
    'Reading files of the server (`from`, or a mapping as `transform`) is for administrators, and only below a root of the setting `apiRoots`. Modules are for the command line alone.',
  query: NO_PARAMETERS,
  body: { 'application/json': newRunSchema },
  answers: [
    { ...json(runSchema, 'The run, which waits for its job.', 201), headers: ['Location'] },
    { status: 404, description: 'There is no such organization.' },
  ],
} satisfies Operation;

export const LIST_RUNS = {
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
    limit: limit({ usual: 20, most: 200 }),
  }),
  answers: [json(runsSchema, 'The runs.'), { status: 404, description: 'There is no such organization.' }],
} satisfies Operation;

export const SCHEDULE_ACTIVITY = {
  id: 'scheduleActivity',
  tag: 'activities',
  summary: 'Sets when an activity of an organization runs by itself: at times, or after another activity',
  description: 'It replaces the schedule that the activity had. Files are below a root of the setting `apiRoots`.',
  query: NO_PARAMETERS,
  body: { 'application/json': newScheduleSchema },
  answers: [json(scheduleSchema, 'The schedule.'), { status: 404, description: 'There is no such organization.' }],
} satisfies Operation;

export const UNSCHEDULE_ACTIVITY = {
  id: 'unscheduleActivity',
  tag: 'activities',
  summary: 'Removes the schedule of an activity',
  query: NO_PARAMETERS,
  answers: [
    { status: 204, description: 'It has none.' },
    { status: 404, description: 'There is no such organization.' },
  ],
} satisfies Operation;

export const SHOW_RUN = {
  id: 'showActivityRun',
  tag: 'activities',
  summary: 'A run of an activity: state, numbers, first errors, artifact and plan',
  query: NO_PARAMETERS,
  answers: [json(shownRunSchema, 'The run.'), NO_RUN],
} satisfies Operation;

export const LIST_RUN_ERRORS = {
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
} satisfies Operation;
