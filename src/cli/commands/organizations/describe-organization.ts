import type { OrganizationView, StreamView } from '../../../api/organization-view.ts';
import type { StreamStatisticsView } from '../../../api/stream-statistics-view.ts';
import { normalizationOf } from '../../../records/forms/record-forms.ts';
import { OFF } from '../../../records/stream-dump-settings.ts';
import { printableLine } from '../../ui/printable.ts';
import { formatTable, plural } from '../../ui/table.ts';

export function describeOrganization(view: OrganizationView): string {
  const { organization, title, contacts, normalization, streams, dumps, messages } = view;
  const who = contacts.map(({ name, email }) => (email === undefined ? name : `${name} <${email}>`));
  return [
    title === undefined ? organization : `${organization}: ${printableLine(title)}`,
    ...(view.private ? [`  private: ${readingOf(view)}`] : []),
    ...who.map((contact) => `  contact: ${printableLine(contact)}`),
    ...(normalization === undefined ? [] : normalizationOf(normalization.kind).describe(normalization)).map(
      (line) => `  ${line}`,
    ),
    ...describeDumps(dumps, 'as for all organizations').map((line) => `  ${line}`),
    ...(messages === undefined ? [] : [`  messages: ${describeMessages(messages)}`]),
    '',
    streamTable(streams),
  ].join('\n');
}

function describeMessages({ url, signed, mail, errors }: NonNullable<OrganizationView['messages']>): string {
  const ways = [
    mail && 'mail to its contacts',
    url !== undefined && `${printableLine(url)}${signed ? ' (signed)' : ''}`,
  ];
  const when = errors ? 'when an upload has failed, or has errors' : 'when an upload has failed';
  return `${ways.filter(Boolean).join(' and ')}, ${when}`;
}

/** Statistics of the default stream. */
export function describeStatistics({
  records,
  changes,
  uploads,
  lastUpload,
  dumps,
}: Omit<StreamStatisticsView, 'organization'>): string {
  const statuses = Object.entries(uploads).filter(([, count]) => count > 0);
  const counts = statuses.map(([status, count]) => `${count} ${status}`).join(', ') || 'none';
  return [
    'Of the default stream:',
    `  ${plural(records, 'record')} now, ${plural(changes, 'change')} of them so far`,
    `  uploads: ${counts}${lastUpload === undefined ? '' : `, the last one at ${lastUpload}`}`,
    `  dumps: ${dumps === 0 ? 'none' : dumps}`,
  ].join('\n');
}

/** Describes who may read the organization. */
export function readingOf({ private: isPrivate, readers = [] }: OrganizationView): string {
  if (!isPrivate) return 'everybody';
  return readers.length === 0 ? 'its own tokens' : `its own tokens, ${readers.join(', ')}`;
}

const ON_REQUEST = 'when asked for';

/** Describes the schedules of dumps; empty when there are no settings. @param absent for a schedule that is not set */
export function describeDumps(dumps: StreamView['dumps'], absent = ON_REQUEST): readonly string[] {
  if (dumps === undefined) return [];
  const { keep } = dumps;
  const [full, delta] = [dumps.full, dumps.delta].map((text = absent) => (text === OFF ? ON_REQUEST : text));
  return [`full dumps: ${full}, ${keep} are kept; deltas: ${delta}`];
}

export function streamTable(streams: readonly StreamView[]): string {
  if (streams.length === 0) return 'There is no stream.';
  const rows = streams.map((view) => [view.stream, stateOf(view), view.created.slice(0, 10), view.title ?? '']);
  return formatTable(['STREAM', 'STATE', 'MADE', 'TITLE'], rows);
}

export function stateOf(view: StreamView): string {
  if (view.default) return 'default';
  if (view.archived === undefined) return view.collection === undefined ? 'open' : 'harvested';
  return `archived ${view.archived.slice(0, 10)}`;
}
