import { changeView, countsView, postingView } from '../../api/views.ts';
import type { Change } from '../../core/change.ts';
import { TidemarkError } from '../../core/errors.ts';
import type { ResourceSet } from '../../core/resource-set.ts';
import { boundaryAfter, boundaryBefore, clockStamp, formatStamp } from '../../core/stamp.ts';
import { MICROSECONDS, type TimeUnit } from '../../core/time-unit.ts';
import { MOST_UNITS } from '../../stores/activity-memory.ts';
import type { HistoryRange } from '../../stores/set-statistics.ts';
import { setOf } from '../request/admitted.ts';
import { newestChanges } from '../request/browse.ts';
import { keyOf } from '../request/named-resource.ts';
import { get, type Route } from '../request/route.ts';
import type { ServedApp } from '../request/served-app.ts';
import type { Taken } from '../request/take.ts';
import { sendJson } from '../response/send-json.ts';
import { LIST_LATEST_CHANGES, LIST_POSTINGS, SHOW_ACTIVITY, SHOW_HISTORY } from './api-operations.ts';

/** Default number of hours and days in a response. */
const USUAL: Readonly<Record<TimeUnit, number>> = { hour: 48, day: 30 };

/** The history of a set, and its senders. */
export function historyRoutes({ index, activity, postings: { log: postingLog } }: ServedApp): readonly Route[] {
  return [
    get('/api/sets/:set/changes/latest', {
      action: 'read-state',
      operation: LIST_LATEST_CHANGES,
      async handle(_request, response, { limit, until }) {
        const set = setOf(response);
        const before = until === undefined ? undefined : boundaryAfter(until);
        const after = set.epochStart;
        const read = (range: HistoryRange) => index.latest(set.id, { after, ...range });
        sendJson(response, newestFirst(set, await newestChanges(set, { before, limit }, read)));
      },
    }),

    get('/api/sets/:set/resource/history', {
      action: 'read-state',
      operation: SHOW_HISTORY,
      async handle(_request, response, { limit, until, ...named }) {
        const set = setOf(response);
        const before = until === undefined ? undefined : boundaryAfter(until);
        const key = keyOf(named, set);
        const read = (range: HistoryRange) => index.history(set.id, key, range);
        sendJson(response, newestFirst(set, await newestChanges(set, { before, limit }, read)));
      },
    }),

    get('/api/sets/:set/activity', {
      action: 'read-state',
      operation: SHOW_ACTIVITY,
      async handle(_request, response, { unit, from, until = clockStamp() }) {
        const range = { from: from ?? Math.max(0, until - (USUAL[unit] - 1) * MICROSECONDS[unit]), until, unit };
        requireRange(range);
        const counts = await activity.of(setOf(response).id, range);
        sendJson(response, { unit, counts: counts.map(countsView) });
      },
    }),

    get('/api/sets/:set/postings', {
      action: 'read-postings',
      operation: LIST_POSTINGS,
      async handle(_request, response, { limit }) {
        const entries = await postingLog.read(setOf(response).id, limit);
        sendJson(response, { postings: entries.map(postingView) });
      },
    }),
  ];
}

function newestFirst(set: ResourceSet, { taken, hasMore }: Taken<Change>) {
  const next = hasMore ? formatStamp(boundaryBefore(taken.at(-1)!.stamp)) : undefined;
  return { changes: taken.map((change) => changeView(set, change)), next };
}

function requireRange({
  from,
  until,
  unit,
}: {
  readonly from: number;
  readonly until: number;
  readonly unit: TimeUnit;
}) {
  const wrong = (field: string, message: string) => new TidemarkError('invalid', message, { code: 'bad-query', field });
  if (from > until) throw wrong('until', 'until is before from');
  if (from < 0) throw wrong('from', 'from is before 1970, and before any change');
  if ((until - from) / MICROSECONDS[unit] > MOST_UNITS - 1) {
    throw wrong('from', `from and until are more than ${MOST_UNITS} ${unit}s apart: ask for less at once, or for days`);
  }
}
