import { shortened } from '../../../lib/excerpt.ts';
import type { ScannedPage } from '../../forms/oai/page-scan.ts';
import type { HarvestedList } from './harvested-list.ts';

/** What a page means for its list: the list after it; the list anew; or why the run has failed. */
type PageVerdict =
  | { readonly list: HarvestedList }
  | { readonly begunAgain: HarvestedList }
  | { readonly problem: string };

/** OAI-PMH 2.0, 3.2: in UTC. */
const RESPONSE_DATE = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d+)?Z$/;
const MOST_SHOWN = 100;

/**
 * The rules of a complete list: it is complete when its last answer has an empty token or none, and no fewer records
 * came than the repository stated. Every doubt is a problem.
 * @param list without this page; its token is that of the request
 */
export function judgePage(list: HarvestedList, page: ScannedPage): PageVerdict {
  if (hasClockGoneBack(list, page)) return { begunAgain: withoutFrom(list) };
  if (page.errors.length > 0) return judgeErrors(list, page);
  const { responseDate = page.responseDate } = list;
  if (!page.isStatic && !isResponseDate(responseDate)) {
    return { problem: `the answer has no responseDate in UTC, but ${JSON.stringify(responseDate ?? '')}` };
  }
  const after = listAfter(list, page, responseDate);
  if (after.token !== undefined) return { list: after };
  const isFirst = list.token === undefined;
  if (page.records === 0 && (isFirst || page.token === undefined)) {
    return { problem: 'the page has neither records nor a token for the next one' };
  }
  const { records, completeListSize = 0 } = after;
  if (completeListSize > records) {
    return { problem: `the list ends after ${records} records, and was said to have ${completeListSize}` };
  }
  return { list: { ...after, isComplete: true } };
}

/** Where a list has come to, for a message. */
export function placeOf({ set, pages, token, lastIdentifier }: HarvestedList): string {
  const parts = [
    ...(set === undefined ? [] : [`set ${quoted(set)}`]),
    `page ${pages + 1}`,
    ...(token === undefined ? [] : [`token ${quoted(token)}`]),
    ...(lastIdentifier === undefined ? [] : [`last identifier ${quoted(lastIdentifier)}`]),
  ];
  return parts.join(', ');
}

function judgeErrors(list: HarvestedList, { errors, records, responseDate }: ScannedPage): PageVerdict {
  const words = errors.map(({ code, text }) => `${code}${text === '' ? '' : `: ${text}`}`).join('; ');
  if (records > 0) return { problem: `the answer has an error beside records (${words})` };
  const isOnly = (code: string) => errors.every((error) => error.code === code);
  const { set, from, token, hasBegunAgain } = list;
  if (token !== undefined && isOnly('badResumptionToken') && !hasBegunAgain) {
    const named = { ...(set !== undefined && { set }), ...(from !== undefined && { from }) };
    return { begunAgain: { ...named, pages: 0, records: 0, hasBegunAgain: true } };
  }
  // A list that had records before its token expired has some.
  if (token === undefined && isOnly('noRecordsMatch') && isResponseDate(responseDate) && !hasBegunAgain) {
    return { list: { ...list, responseDate, isComplete: true } };
  }
  return { problem: `the repository answers ${words}` };
}

/**
 * Whether a list is asked for from a time that the repository has not reached: its clock was wrong when it gave that
 * time, and what has changed since may have any datestamp.
 */
function hasClockGoneBack({ from, token }: HarvestedList, { responseDate }: ScannedPage): boolean {
  if (from === undefined || token !== undefined || !isResponseDate(responseDate)) return false;
  return from > responseDate.slice(0, from.length);
}

function withoutFrom({ set }: HarvestedList): HarvestedList {
  return { ...(set !== undefined && { set }), pages: 0, records: 0 };
}

function isResponseDate(text: string | undefined): text is string {
  return text !== undefined && RESPONSE_DATE.test(text) && !Number.isNaN(Date.parse(text));
}

function listAfter(list: HarvestedList, page: ScannedPage, responseDate: string | undefined): HarvestedList {
  const { token: _, ...before } = list;
  const { token, completeListSize = list.completeListSize, lastIdentifier = list.lastIdentifier } = page;
  return {
    ...before,
    ...(responseDate !== undefined && { responseDate }),
    pages: list.pages + 1,
    records: list.records + page.records,
    ...(completeListSize !== undefined && { completeListSize }),
    ...(lastIdentifier !== undefined && { lastIdentifier: shortened(lastIdentifier, 1_000) }),
    ...(token !== undefined && token !== '' && { token }),
  };
}

const quoted = (text: string): string => JSON.stringify(shortened(text, MOST_SHOWN));
