import { webRoutes } from '../pages/web-routes.ts';
import type { Route } from '../request/route.ts';
import type { ServedApp } from '../request/served-app.ts';
import { activityRoutes } from './activities/activity-routes.ts';
import { csvRoutes } from './csv/csv-routes.ts';
import { datasetRoutes } from './datasets/dataset-routes.ts';
import { documentRoutes } from './document-routes.ts';
import { archiveRoutes } from './dumps/archive-routes.ts';
import { dumpRoutes } from './dumps/dump-routes.ts';
import { packageRoutes } from './dumps/package-routes.ts';
import { feedRoutes } from './feed-routes.ts';
import { collectionRoutes } from './harvests/collection-routes.ts';
import { harvestRoutes } from './harvests/harvest-routes.ts';
import { healthRoutes } from './health-routes.ts';
import { jobRoutes } from './job-routes.ts';
import { metricsRoutes } from './metrics-routes.ts';
import { hubRoutes } from './notify/hub-routes.ts';
import { streamRoutes } from './notify/stream-routes.ts';
import { subscriptionRoutes } from './notify/subscription-routes.ts';
import { oaiRoutes } from './oai/oai-routes.ts';
import { openApiRoutes } from './openapi-routes.ts';
import { organizationRoutes } from './organizations/organization-routes.ts';
import { overviewRoutes } from './organizations/overview-routes.ts';
import { statisticsRoutes } from './organizations/statistics-routes.ts';
import { podRoutes } from './pod/pod-routes.ts';
import { postingRoutes } from './posting-routes.ts';
import { resourceRoutes } from './resource-routes.ts';
import { robotsRoutes } from './robots-routes.ts';
import { s3EventRoutes } from './s3-event-routes.ts';
import { changesRoutes } from './sets/changes-routes.ts';
import { contentsRoutes } from './sets/contents-routes.ts';
import { setApiRoutes } from './sets/set-routes.ts';
import { streamDumpRoutes } from './stream-dumps/stream-dump-routes.ts';
import { tokenRoutes } from './token-routes.ts';
import { removalRoutes } from './uploads/removal-routes.ts';
import { resumableRoutes } from './uploads/resumable-routes.ts';
import { uploadRoutes } from './uploads/upload-routes.ts';
import { uploadStatusRoutes } from './uploads/upload-status-routes.ts';
import { versionRoutes } from './versions/version-routes.ts';

/**
 * Every route, group by group. A GET also handles HEAD; any other method gets a 405.
 *
 * To add one, put `get(path, { action, id, tag, summary, query, answers, handle })` or `post(…)` into the list of its
 * group, or add a group here. The action (access/may.ts) determines who may use it. The rest but `handle` is the
 * operation (request/operation.ts), which describes request and responses once, by zod schemas: they check the request
 * before `handle` is called, and /api/openapi.json is derived from them.
 */
export function routeTable(app: ServedApp, stopping: AbortSignal): readonly Route[] {
  const routes: readonly Route[] = [
    ...podRoutes(app),
    ...webRoutes(app, stopping),
    ...documentRoutes(app),
    ...robotsRoutes(app),
    ...resourceRoutes(app),
    ...oaiRoutes(app, stopping),
    ...packageRoutes(app),
    ...versionRoutes(app),
    ...setApiRoutes(app, stopping),
    ...contentsRoutes(app),
    ...changesRoutes(app),
    ...csvRoutes(app),
    ...feedRoutes(app),
    ...dumpRoutes(app),
    ...archiveRoutes(app),
    ...postingRoutes(app, stopping),
    ...streamRoutes(app, stopping),
    ...s3EventRoutes(app, stopping),
    ...hubRoutes(app, stopping),
    ...subscriptionRoutes(app),
    ...organizationRoutes(app, stopping),
    ...overviewRoutes(app),
    ...statisticsRoutes(app),
    ...uploadRoutes(app, stopping),
    ...resumableRoutes(app, stopping),
    ...streamDumpRoutes(app, stopping),
    ...uploadStatusRoutes(app),
    ...removalRoutes(app),
    ...activityRoutes(app, stopping),
    ...collectionRoutes(app, stopping),
    ...harvestRoutes(app, stopping),
    ...datasetRoutes(app, stopping),
    ...tokenRoutes(app, stopping),
    ...jobRoutes(app),
    ...healthRoutes(app),
    ...metricsRoutes(app),
    ...openApiRoutes(app, () => routes),
  ];
  return routes;
}
