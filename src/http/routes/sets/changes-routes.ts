import * as z from 'zod';
import { postingsSchema, postingView } from '../../../api/posting-view.ts';
import {
  activitySchema,
  changesSchema,
  changeView,
  countsView,
  latestChangesSchema,
} from '../../../api/resource-view.ts';
import type { Change } from '../../../core/change.ts';
import { TidemarkError } from '../../../core/errors.ts';
import type { ResourceSet } from '../../../core/resource-set.ts';
import { boundaryAfter, boundaryBefore, clockStamp, formatStamp } from '../../../core/stamp.ts';
import { MICROSECONDS, type TimeUnit } from '../../../core/time-unit.ts';
import { MOST_ENTRIES } from '../../../observe/audit/posting-entry.ts';
import { MOST_UNITS } from '../../../stores/activity-memory.ts';
import type { HistoryRange } from '../../../stores/set-statistics.ts';
import { setOf } from '../../request/admitted.ts';
import { newestChanges } from '../../request/browse.ts';
import { keyOf } from '../../request/named-resource.ts';
import { json } from '../../request/operation.ts';
import { choice, limit, text, time } from '../../request/query-parameters.ts';
import { get, type Route } from '../../request/route.ts';
import type { ServedApp } from '../../request/served-app.ts';
import type { Taken } from '../../request/take.ts';
import { MAY_BE_SHORTER, take } from '../../request/take.ts';
import { sendJson } from '../../response/send-json.ts';

const entries = limit({ usual: 100, most: 10_000 });
/** Default number of hours and days in a response. */
const USUAL: Readonly<Record<TimeUnit, number>> = { hour: 48, day: 30 };

/** How a set has changed, and who posted that. */
export function changesRoutes({ index, activity, postings: { log: postingLog } }: ServedApp): readonly Route[] {
  return [
    get('/api/sets/:set/changes', {
      action: 'read-state',
      id: 'listChanges',
      tag: 'changes',
      summary: 'The changes, oldest first',
      description: MAY_BE_SHORTER,
      query: z.strictObject({
        limit: entries,
        from: time('The time of the first change. For what follows, the `next` of the answer before.'),
        until: time('The time of the last change.'),
      }),
      answers: [json(changesSchema, 'Some of the changes.')],
      async handle(_request, response, { limit, from, until }) {
        const set = setOf(response);
        const range = {
          after: from === undefined ? set.epochStart : boundaryBefore(from),
          until: until === undefined ? undefined : boundaryAfter(until),
        };
        const { taken, hasMore } = await take(index.changes(set.id, range), set, limit);
        const next = hasMore ? formatStamp(boundaryAfter(taken.at(-1)!.stamp)) : undefined;
        sendJson(response, { changes: taken.map((change) => changeView(set, change)), next });
      },
    }),

    get('/api/sets/:set/changes/latest', {
      action: 'read-state',
      id: 'listLatestChanges',
      tag: 'changes',
      summary: 'The changes, newest first',
      description: MAY_BE_SHORTER,
      query: z.strictObject({
        limit: entries,
        until: time('The time of the newest change. For what follows, the `next` of the answer before.'),
      }),
      answers: [json(latestChangesSchema, 'Some of the changes.')],
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
      id: 'showHistory',
      tag: 'changes',
      summary: 'The changes of one resource, newest first',
      description: `One of \`uri\` and \`key\` is needed. A resource that was deleted has a history, too. ${MAY_BE_SHORTER}`,
      query: z.strictObject({
        uri: text('The URI of the resource.', 'https://data.example.org/papers/2026/a.pdf'),
        key: text('Its key.', '/2026/a.pdf'),
        limit: limit({ usual: 100, most: 1000 }),
        until: time('The time of the newest change. For what follows, the `next` of the answer before.'),
      }),
      answers: [json(latestChangesSchema, 'Some of its changes.')],
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
      id: 'showActivity',
      tag: 'changes',
      summary: 'How many changes there were in each hour or day',
      description: `Of UTC, in the order of time. At most ${MOST_UNITS} at once; without \`from\`, the last 30 days or the last 48 hours.`,
      query: z.strictObject({
        unit: choice(['day', 'hour'], 'What to count by.'),
        from: time('A time of the first hour or day.'),
        until: time('A time of the last hour or day: now, without it.'),
      }),
      answers: [json(activitySchema, 'The numbers.')],
      async handle(_request, response, { unit, from, until = clockStamp() }) {
        const range = { from: from ?? Math.max(0, until - (USUAL[unit] - 1) * MICROSECONDS[unit]), until, unit };
        requireRange(range);
        const counts = await activity.of(setOf(response).id, range);
        sendJson(response, { unit, counts: counts.map(countsView) });
      },
    }),

    get('/api/sets/:set/postings', {
      action: 'read-postings',
      id: 'listPostings',
      tag: 'changes',
      summary: 'Who posted lately, and what was rejected and why',
      description:
        'The last postings, newest first, for those who may post to the set. It is an account for people: entries come some seconds late, and the last ones are lost when a server is killed.',
      query: z.strictObject({ limit: limit({ usual: 50, most: MOST_ENTRIES }) }),
      answers: [json(postingsSchema, 'The postings.')],
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
