import * as z from 'zod';
import { newCollectionSchema } from '../../../api/collection-view.ts';
import { HARVEST_KINDS } from '../../../records/collections/harvest-run.ts';
import { type Operation, pageOperation } from '../../request/operation.ts';
import { FORM_BODY, formBody } from '../../request/read-form.ts';
import { number } from '../organizations/organization-page-operations.ts';

/** The pages of collections and harvests. Links may contain additional parameters, so unknown ones are ignored. */

const NONE = { status: 404, description: 'There is none.' };

export const COLLECTIONS = pageOperation('collectionsPage', 'The collections that the reader may read');
export const COLLECTION = {
  ...described('collectionPage', 'A collection: its harvests, latest errors, and settings'),
  query: z.object({
    before: number('Harvests with lower numbers; any other text shows the latest.'),
    did: z.enum(['change']).optional().catch(undefined),
  }),
};
export const HARVEST = {
  ...described('harvestPage', 'A harvest: what was received, what became of it, and what could not be read'),
  query: z.object({ errors: number('The byte of the list of errors at which the page begins.') }),
};
export const ADD_FORM = pageOperation('addCollectionPage', 'The form that adds a collection');
export const ADD = {
  ...byForm('addCollectionByForm', 'Adds a collection'),
  body: formBody({ collection: newCollectionSchema.shape.collection, baseUrl: newCollectionSchema.shape.baseUrl }),
};
export const SETTINGS = described('collectionSettingsPage', 'What can be changed of a collection');
export const CHANGE = { ...byForm('changeCollectionByForm', 'Changes a collection'), body: FORM_BODY };
export const REMOVE = {
  ...byForm('removeCollectionByForm', 'Removes a collection; its records stay'),
  query: z.object({ confirm: z.literal('yes', 'is yes') }),
};
export const HARVEST_NOW = {
  ...byForm('harvestByForm', 'Adds a harvest, and leads to its page'),
  query: z.object({
    kind: z.enum(HARVEST_KINDS).exclude(['again']).default('incremental'),
    drop: z.literal('accept').optional(),
  }),
};
export const AGAIN = byForm('harvestAgainByForm', 'Reads the responses of a harvest again, and leads to its page');

function described(id: string, summary: string) {
  const operation = pageOperation(id, summary);
  return { ...operation, answers: [...operation.answers, NONE] } as const satisfies Operation;
}

function byForm(id: string, summary: string) {
  const done = { status: 303, description: 'It is done.', headers: ['Location'] } as const;
  return { id, tag: 'pages', summary, answers: [done, NONE] } as const satisfies Operation;
}
