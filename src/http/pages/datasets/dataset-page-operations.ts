import * as z from 'zod';
import { REQUEST_STATES } from '../../../api/dataset-view.ts';
import { DATASET_STATUSES } from '../../../datasets/status.ts';
import { type Operation, pageOperation } from '../../request/operation.ts';
import { text } from '../../request/query-parameters.ts';
import { formBody } from '../../request/read-form.ts';
import { pageNumber } from '../parts/page-query.ts';

/** The pages of datasets. Links may contain additional parameters, so unknown ones are ignored. */

const NONE = { status: 404, description: 'There is none, or the reader may not read its set.' };
const WRONG = 'is none of those in the form';

/** A choice of a form, which sends an empty text for all. */
const chosen = <Choice extends string>(choices: readonly Choice[], description: string) =>
  z
    .enum(['', ...choices], WRONG)
    .optional()
    .transform((choice) => (choice || undefined) as Choice | undefined)
    .meta({ description });

export const DATASETS = {
  ...pageOperation('datasetsPage', 'The requests of datasets of the sets that the reader may read, the newest first'),
  query: z.object({
    status: chosen(DATASET_STATUSES, 'Only requests whose last result has this status; empty for all.'),
    state: chosen(REQUEST_STATES, 'Only those that wait, run or have ended; empty for all.'),
    set: text('Only requests for this set; empty for all.', 'datasets'),
    after: text('A position in the list: shows what follows it.'),
  }),
};

export const DATASET = {
  ...described('datasetPage', 'A request of a dataset: its result, what to do, and the files with their hashes'),
  query: z.object({ page: pageNumber, did: z.enum(['add', 'retry']).optional() }),
};

export const ADD = {
  ...byForm('addDatasetByForm', 'Requests a dataset, and leads to its page'),
  query: z.object({ set: text('The id of the set that publishes it; `datasets` by default.', 'datasets') }),
  body: formBody({ base_url: z.string().describe('A URL, a DOI or a handle.') }),
};

export const RETRY = byForm('retryDatasetByForm', 'Queues a request again, and leads back to its page');

function described(id: string, summary: string) {
  const operation = pageOperation(id, summary);
  return { ...operation, answers: [...operation.answers, NONE] } as const satisfies Operation;
}

function byForm(id: string, summary: string) {
  const done = { status: 303, description: 'It is queued.', headers: ['Location'] } as const;
  const busy = { status: 409, description: 'It waits or runs already.' };
  return { id, tag: 'pages', summary, answers: [done, NONE, busy] } as const satisfies Operation;
}
