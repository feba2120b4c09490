import {
  changesText,
  type HarvestErrorView,
  type HarvestView,
  receivedText,
  stateText,
} from '../../../api/harvest-run-view.ts';
import { formatCount } from '../../../lib/format-count.ts';
import { printableLine } from '../../ui/printable.ts';
import { plural } from '../../ui/table.ts';

/** The outcome of a harvest, its numbers, and how many errors have which reason. */
export function describeOutcome(view: HarvestView): readonly string[] {
  const { collection, number, kind, outcome, failure, status, of } = view;
  const changes = changesText(view);
  return [
    `${collection}/${number} (${kind}): ${stateText(view)}${status === undefined ? '' : `, status ${status}`}`,
    ...(failure === undefined ? [] : [`  ${printableLine(failure)}`]),
    ...(of === undefined
      ? [`  received: ${receivedText(view)}`]
      : [`  read again: the responses of harvest ${of} and later`]),
    ...(outcome === undefined ? [] : [`  read: ${readText(outcome)}`]),
    ...(outcome?.reasons ?? []).map(({ reason, count, warning }) =>
      printableLine(`    ${formatCount(count)}: ${warning ? 'warning: ' : ''}${reason}`),
    ),
    ...(changes === undefined ? [] : [`  in the set: ${changes}`]),
  ];
}

function readText({ records, deletions, errors, warnings }: NonNullable<HarvestView['outcome']>): string {
  const parts = [plural(records, 'record'), plural(deletions, 'deletion'), plural(errors, 'error')];
  return [...parts, ...(warnings === 0 ? [] : [plural(warnings, 'warning')])].join(', ');
}

/** A harvest with its times, lists, stored responses and first errors. */
export function describeHarvest(view: HarvestView, firstErrors: readonly HarvestErrorView[]): string {
  const { trigger, file, added, started, ended, uuid, job, message, responses, lists } = view;
  const facts = {
    added: `${added}, by ${trigger === 'trigger-file' ? `the trigger file ${file}` : `a ${trigger}`}`,
    started,
    ended,
    uuid,
    job,
    message: messageText(message),
    responses: responses && `GET /api/${responses}`,
  };
  return [
    ...describeOutcome(view),
    ...Object.entries(facts).flatMap(([name, value]) => (value ? [`  ${name}: ${printableLine(value)}`] : [])),
    ...lists.map((list) => `  ${listText(list)}`),
    ...firstErrors.map((error) => `  ${errorText(error)}`),
  ].join('\n');
}

function listText({ set, from, pages, records, completeListSize, complete }: HarvestView['lists'][number]) {
  const which = [set === undefined ? 'all records' : `set ${set}`, from && `from ${from}`];
  const of = completeListSize === undefined ? '' : ` of ${formatCount(completeListSize)}`;
  const text = `${which.filter(Boolean).join(' ')}: ${formatCount(records)}${of} records in ${plural(pages, 'page')}`;
  return printableLine(`${text}${complete ? '' : ', not complete'}`);
}

function messageText(message: HarvestView['message']): string | undefined {
  if (message === undefined) return undefined;
  const { attempts, accepted, problem } = message;
  if (accepted !== undefined) return `accepted ${accepted}`;
  return `not accepted yet, ${plural(attempts, 'attempt')}${problem === undefined ? '' : `: ${problem}`}`;
}

/** One error or warning in a line. */
export function errorText({ id, path, ordinal, offset, reason, warning }: HarvestErrorView): string {
  const place = [
    path?.at(-1),
    ordinal !== undefined && `number ${formatCount(ordinal)}`,
    offset !== undefined && `byte ${formatCount(offset)}`,
  ].filter(Boolean);
  const where = place.length === 0 ? '' : ` (${place.join(', ')})`;
  return printableLine(
    `${id ?? 'a record'}${where}: ${warning ? 'warning, the record was taken over: ' : ''}${reason}`,
  );
}
