import * as z from 'zod';
import { pageNumber } from '../pages/parts/page-query.ts';
import { type Operation, page, xml } from '../request/operation.ts';
import { text, time } from '../request/query-parameters.ts';

/**
 * The documents of ResourceSync. Harvesters may add parameters to a query, so unknown ones are ignored. A client that would rather have
 * HTML gets a page to read.
 */

const QUERY = {
  format: text('`xml` for the document itself, whatever the header Accept says.', 'xml'),
  page: pageNumber.meta({
    description: 'Of a page to read: which entries it shows. The document itself is always whole.',
  }),
};
const PAGE = page('The document as a page, for who prefers HTML.');

export type DocumentOperation = ReturnType<typeof document>;

export const SOURCE_DESCRIPTION = document(
  'sourceDescription',
  'The Source Description, or its index when there are more than 50,000 sets',
);
export const SOURCE_DESCRIPTION_PART = document('sourceDescriptionPart', 'A part of the Source Description');
export const CAPABILITY_LIST = document('capabilityList', 'The Capability List of a set');
export const RESOURCE_LIST = document('resourceList', 'The Resource List, or its index when it has several pages');
export const RESOURCE_PAGE = document('resourceListPage', 'A page of the Resource List');
export const RECENT_CHANGES = document('recentChangeList', 'The latest changes, always one list');
export const CHANGE_WINDOW = document('changeListWindow', 'A part of the Change List');

export const CHANGE_LIST = {
  ...document('changeList', 'The Change List, or its index; or the changes of some time'),
  description: `With \`from\` or \`until\`, a list of the changes of that time. When they are too many it ends earlier and says so in
its own \`until\`; the header Link tells where the next ones are.`,
  query: z.object({
    from: time('The time of the first change.'),
    until: time('The time of the last change.'),
    ...QUERY,
  }),
  answers: [xml('The document.', ['Link']), PAGE],
} satisfies Operation;

function document(id: string, summary: string) {
  const answers = [xml('The document.'), PAGE];
  return { id, tag: 'documents', summary, isConditional: true, query: z.object(QUERY), answers } satisfies Operation;
}
