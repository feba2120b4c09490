import * as z from 'zod';
import { streamStatisticsSchema, streamStatisticsView } from '../../../api/stream-statistics-view.ts';
import { streamStatistics } from '../../../records/stream-statistics.ts';
import { param } from '../../request/admitted.ts';
import { json } from '../../request/operation.ts';
import { streamParameter } from '../../request/query-parameters.ts';
import { get, type Route } from '../../request/route.ts';
import type { ServedApp } from '../../request/served-app.ts';
import { sendJson } from '../../response/send-json.ts';

/** Statistics of organizations. */
export function statisticsRoutes(app: ServedApp): readonly Route[] {
  return [
    get('/api/organizations/:org/statistics', {
      action: 'read-organization',
      id: 'showStreamStatistics',
      tag: 'organizations',
      summary: 'What a stream of an organization has and had, in numbers',
      query: z.strictObject({ stream: streamParameter() }),
      answers: [
        json(streamStatisticsSchema, 'The numbers.'),
        { status: 404, description: 'There is no such organization, or stream of it.' },
      ],
      async handle(request, response, { stream }) {
        const name = await app.records.organizations.requireStream(param(request, 'org'), stream);
        sendJson(response, streamStatisticsView(name, await streamStatistics(name, { ...app, ...app.records })));
      },
    }),
  ];
}
