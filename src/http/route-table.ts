import type { Action } from '../access/may.ts';
import { webHandlers } from '../web/web-routes.ts';
import { apiHandlers } from './api-routes.ts';
import { documentHandlers } from './document-routes.ts';
import { healthHandlers } from './health-routes.ts';
import { postingHandlers } from './posting-routes.ts';
import { resourceHandlers } from './resource-routes.ts';
import type { Handler, Route } from './route.ts';
import type { ServedApp } from './served-app.ts';

/** Every route with what it does. A GET answers HEAD as well; any other method is answered with 405. */
export function routeTable(app: ServedApp, stopping: AbortSignal): readonly Route[] {
  const documents = documentHandlers(app);
  const { resource } = resourceHandlers(app);
  const posting = postingHandlers(app, stopping);
  const api = apiHandlers(app);
  const health = healthHandlers(app);
  const web = webHandlers(app);
  return [
    get('/', 'read-source', web.home),
    get('/sets/:set/', 'read-documents', web.set),
    get('/sets/:set', 'read-documents', web.toSet),

    get('/.well-known/resourcesync', 'read-source', documents.sourceDescription),
    get('/sets/:set/capabilitylist.xml', 'read-documents', documents.capabilityList),
    get('/sets/:set/resourcelist.xml', 'read-documents', documents.resourceList),
    get('/sets/:set/resourcelist-:name.xml', 'read-documents', documents.resourcePage),
    get('/sets/:set/changelist.xml', 'read-documents', documents.changeList),
    get('/sets/:set/changelist-recent.xml', 'read-documents', documents.recentChanges),
    get('/sets/:set/changelist-:name.xml', 'read-documents', documents.changeWindow),
    get('/sets/:set/resources/*path', 'read-resource', resource),

    get('/api/sets', 'read-state', api.sets),
    get('/api/sets/:set', 'read-state', api.set),
    get('/api/sets/:set/resources', 'read-state', api.resources),
    get('/api/sets/:set/resource', 'read-state', api.resource),
    get('/api/sets/:set/changes', 'read-state', api.changes),
    { ...post('/api/sets/:set/changes', 'post-changes', posting.changes), body: 'changes' },
    get('/api/sets/:set/pages', 'read-state', api.pages),
    post('/api/sets/:set/pages/:name/refresh', 'administer', api.refreshPage),

    get('/healthz', 'probe', health.healthz),
    get('/readyz', 'probe', health.readyz),
  ];
}

function get(path: string, action: Action, handle: Handler): Route {
  return { method: 'get', path, action, body: 'none', handle };
}

function post(path: string, action: Action, handle: Handler): Route {
  return { method: 'post', path, action, body: 'none', handle };
}
