import * as z from 'zod';
import { JOB_STATES } from '../stores/job.ts';
import { datetime } from './common-schemas.ts';

/** The shapes of jobs in the JSON API. */

export const jobStateSchema = z.enum(JOB_STATES);

export const jobSchema = z
  .strictObject({
    name: z.string().describe('`KIND/ID`.'),
    kind: z.string(),
    id: z.string(),
    state: jobStateSchema,
    payload: z.unknown().describe('What it works on.'),
    oneAtATimePer: z.string().optional().describe('Of the jobs of a kind with the same text, one runs at a time.'),
    added: datetime,
    notBefore: datetime.optional().describe('It does not begin before this time.'),
    attempts: z
      .int()
      .describe('Attempts that were begun, without those that were given back, and those whose worker died.'),
    worker: z.string().optional().describe('The process that ran the last attempt, or runs it.'),
    started: datetime.optional().describe('When the last attempt began.'),
    finished: datetime.optional(),
    cancelling: z.literal(true).optional().describe('It was cancelled, and its worker has not ended it yet.'),
    progress: z
      .strictObject({ done: z.number().optional(), total: z.number().optional(), text: z.string().optional() })
      .optional(),
    waits: z
      .strictObject({
        since: datetime,
        reason: z.string(),
        until: datetime.optional().describe('When it stops to wait for this.'),
      })
      .optional()
      .describe('What a queued job waits for. It checks that again at `notBefore`.'),
    error: z.string().optional().describe('Why the last attempt failed.'),
    result: z.unknown().optional(),
  })
  .meta({ id: 'Job' });

export const loggedJobSchema = jobSchema
  .extend({ log: z.array(z.string()).describe('The last 1,000 lines of its log, oldest first.') })
  .meta({ id: 'LoggedJob', description: 'A job with its log.' });

export const jobsSchema = z
  .strictObject({
    jobs: z.array(jobSchema),
    after: z.string().optional().describe('For the parameter `after` of the next request; absent at the end.'),
    counts: z.array(z.strictObject({ kind: z.string(), state: jobStateSchema, count: z.int() })),
    scheduled: z
      .array(
        z.strictObject({
          kind: z.string(),
          set: z.string().optional().describe('The set that it works on, when its settings say so.'),
          activity: z.string().optional().describe('The provider and the activity that it runs, as `cdl/mapping`.'),
          schedule: z.string(),
          next: datetime,
        }),
      )
      .describe('When jobs are added next, by the settings of this server and of the sets: the 1,000 soonest.'),
  })
  .meta({ id: 'Jobs' });

export type JobView = z.infer<typeof jobSchema>;
export type JobsView = z.infer<typeof jobsSchema>;
