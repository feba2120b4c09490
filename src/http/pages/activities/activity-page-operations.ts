import * as z from 'zod';
import { activitySchema } from '../../../api/activity-run-view.ts';
import type { Operation } from '../../request/operation.ts';
import { pageOperation } from '../../request/operation.ts';
import { formBody } from '../../request/read-form.ts';
import { number } from '../organizations/organization-page-operations.ts';

/** The pages of runs of activities. Links may contain additional parameters, so unknown ones are ignored. */

const NONE = { status: 404, description: 'There is none.' };

export const RUNS = {
  ...described('activitiesPage', 'The runs of activities of an organization, when they run, and a form that adds one'),
  query: z.object({
    after: z.string().optional().meta({ description: 'Where the page begins; any other text shows the latest.' }),
  }),
};
export const RUN = {
  ...described('activityRunPage', 'A run of an activity: its state, numbers, errors, artifact and options'),
  query: z.object({ errors: number('The byte of the list of errors at which the page begins.') }),
};
export const ADD_RUN = {
  ...byForm('runActivityByForm', 'Adds a run of an activity, and leads to its page'),
  body: formBody({ activity: activitySchema }),
};
export const REPEAT_RUN = {
  ...byForm('repeatActivityRunByForm', 'Adds a run with the options of another one, and leads to its page'),
  query: z.object({ drop: z.string().optional() }),
};

function described(id: string, summary: string) {
  const operation = pageOperation(id, summary);
  return { ...operation, answers: [...operation.answers, NONE] } as const satisfies Operation;
}

function byForm(id: string, summary: string) {
  const done = { status: 303, description: 'It is done.', headers: ['Location'] } as const;
  return { id, tag: 'pages', summary, answers: [done, NONE] } as const satisfies Operation;
}
