import type { Route } from '../request/route.ts';
import type { ServedApp } from '../request/served-app.ts';
import { listPageRoutes } from './list-page-routes.ts';
import { setRoutes } from './set-routes.ts';
import { sourceRoutes } from './source-routes.ts';

/** Pages for people. The documents of ResourceSync are pages too: see document-view.ts. */
export function webRoutes(app: ServedApp): readonly Route[] {
  return [...sourceRoutes(app), ...setRoutes(app), ...listPageRoutes(app)];
}
