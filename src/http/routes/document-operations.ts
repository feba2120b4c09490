import * as z from 'zod';
import { DOCUMENTS, type DocumentKind, type DocumentRow } from '../../publish/documents.ts';
import { pageNumber } from '../pages/parts/page-query.ts';
import { type Operation, page, xml } from '../request/operation.ts';
import { text, time } from '../request/query-parameters.ts';

/**
 * The documents of ResourceSync. Harvesters may add parameters to a query, so unknown ones are ignored. A client that
 * prefers HTML gets a page.
 */

const QUERY = {
  format: text('`xml` for the document itself, whatever the header Accept says.', 'xml'),
  page: pageNumber.meta({
    description: 'Of a page to read: which entries it shows. The document itself is always whole.',
  }),
};
const PAGE = page('The document as a page, for clients that prefer HTML.');

const PLAIN = { query: z.object(QUERY), answers: [xml('The document.'), PAGE] };

const WITH_RANGE = {
  description: `With \`from\` or \`until\`, a list of the changes of that time. When they are too many it ends earlier and says so in
its own \`until\`; the header Link has the URI of the next ones.`,
  query: z.object({
    from: time('The time of the first change.'),
    until: time('The time of the last change.'),
    ...QUERY,
  }),
  answers: [xml('The document.', ['Link']), PAGE],
};

export function documentOperation(kind: DocumentKind): Operation<typeof PLAIN.query> {
  const operation = { ...ofRow(DOCUMENTS[kind]), ...PLAIN };
  return hasPage(kind) ? operation : { ...operation, answers: [xml('The document.')] };
}

/** Whether a browser gets a page made from the document. */
export function hasPage(kind: DocumentKind): boolean {
  return (DOCUMENTS[kind] as DocumentRow).isXmlOnly !== true;
}

/** For documents that accept a period: `from` and `until`. */
export function rangeOperation(kind: DocumentKind) {
  return { ...ofRow(DOCUMENTS[kind]), ...WITH_RANGE } satisfies Operation;
}

function ofRow({ operation }: DocumentRow) {
  return { ...operation, tag: 'documents' as const, isConditional: true };
}
