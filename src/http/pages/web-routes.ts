import type { Route } from '../request/route.ts';
import type { ServedApp } from '../request/served-app.ts';
import { activityPageRoutes } from './activities/activity-page-routes.ts';
import { datasetPageRoutes } from './datasets/dataset-page-routes.ts';
import { dumpPageRoutes } from './dump-sections.ts';
import { fontRoutes } from './font-routes.ts';
import { collectionFormRoutes } from './harvests/collection-form-routes.ts';
import { collectionPageRoutes } from './harvests/collection-page-routes.ts';
import { harvestPageRoutes } from './harvests/harvest-page-routes.ts';
import { jobPageRoutes } from './job-pages.ts';
import { listPageRoutes } from './list-pages.ts';
import { setFormRoutes } from './manage/set-form-routes.ts';
import { tokenPageRoutes } from './manage/token-pages.ts';
import { organizationFormRoutes } from './organizations/organization-form-routes.ts';
import { organizationPageRoutes } from './organizations/organization-page-routes.ts';
import { uploadPageRoutes } from './organizations/upload-page-routes.ts';
import { recordAsItCameRoute } from './records/record-as-it-came-routes.ts';
import { setRoutes } from './set-page.ts';
import { signInRoutes } from './sign-in/sign-in-pages.ts';
import { sourceRoutes } from './source-pages.ts';
import { subscriptionPageRoutes } from './subscriptions-page.ts';
import { validateRoutes } from './validate/validate-pages.ts';

/** The web pages. The documents of ResourceSync also have pages: see document-view.ts. */
export function webRoutes(app: ServedApp, stopping: AbortSignal): readonly Route[] {
  return [
    ...sourceRoutes(app),
    ...fontRoutes(),
    ...signInRoutes(app, stopping),
    ...validateRoutes(app, stopping),
    ...organizationPageRoutes(app, stopping),
    ...uploadPageRoutes(app, stopping),
    recordAsItCameRoute(app),
    ...activityPageRoutes(app, stopping),
    ...organizationFormRoutes(app, stopping),
    ...collectionPageRoutes(app),
    ...collectionFormRoutes(app, stopping),
    ...harvestPageRoutes(app),
    ...datasetPageRoutes(app, stopping),
    ...setRoutes(app),
    ...setFormRoutes(app, stopping),
    ...tokenPageRoutes(app, stopping),
    ...listPageRoutes(app),
    ...dumpPageRoutes(app),
    ...jobPageRoutes(app),
    ...subscriptionPageRoutes(app),
  ];
}
