import * as z from 'zod';
import { overviewQuery, overviewSchema } from '../../../api/overview-view.ts';
import { describeSender } from '../../../api/sender-view.ts';
import { BYTE_ORDER_MARK, csvRow } from '../../../lib/csv.ts';
import { json } from '../../request/operation.ts';
import { get, type Route } from '../../request/route.ts';
import type { ServedApp } from '../../request/served-app.ts';
import { setCaching } from '../../response/caching.ts';
import { sendJson } from '../../response/send-json.ts';
import { managedOverview } from '../../response/shown-organizations.ts';

const DESCRIPTION = 'Those that the sender manages: administrators see all of them.';

/** The state of all organizations, for those who manage them. */
export function overviewRoutes({ records: { overview } }: ServedApp): readonly Route[] {
  return [
    get('/api/organization-overview', {
      action: 'manage-any',
      id: 'overviewOfOrganizations',
      tag: 'organizations',
      summary: 'Last upload, failures, records, dumps and size of each organization',
      description: DESCRIPTION,
      query: z.strictObject(overviewQuery),
      answers: [json(overviewSchema, 'The organizations.')],
      async handle(_request, response, order) {
        sendJson(response, { organizations: await managedOverview(overview, response, order) });
      },
    }),

    get('/api/organization-overview.csv', {
      action: 'manage-any',
      id: 'overviewOfOrganizationsAsCsv',
      tag: 'organizations',
      summary: 'The same as CSV, for spreadsheets',
      description: DESCRIPTION,
      query: z.strictObject(overviewQuery),
      answers: [{ status: 200, description: 'A line for each, after one of names.', content: { 'text/csv': 'text' } }],
      async handle(_request, response, order) {
        const lines = (await managedOverview(overview, response, order)).map((row) =>
          csvRow([
            ...[row.organization, row.title, String(row.private), row.lastUpload?.received],
            row.lastUpload?.by && describeSender(row.lastUpload.by),
            ...[row.failures, row.waiting, row.records, row.lastFullDump, row.lastDelta, row.bytes],
            row.days.reduce((sum, uploads) => sum + uploads, 0),
          ]),
        );
        setCaching(response, 'no-store');
        response.set({
          'Content-Type': 'text/csv; charset=utf-8; header=present',
          'Content-Disposition': 'attachment; filename="organizations.csv"',
        });
        response.end([BYTE_ORDER_MARK, csvRow(NAMES), ...lines].join(''));
      },
    }),
  ];
}

const NAMES = [
  ...['organization', 'title', 'private', 'last upload', 'by', 'failures', 'waiting', 'records', 'last full dump'],
  ...['last delta', 'bytes', 'uploads in 30 days'],
];
