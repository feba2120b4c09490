import type { Request, Response } from 'express';
import { boundaryAfter, boundaryBefore, formatStamp, type Stamp } from '../domain/stamp.ts';
import { setUris } from '../publisher/document-uris.ts';
import type { PublishedDocument } from '../publisher/published-document.ts';
import {
  CAPABILITY_LIST,
  CHANGE_LIST,
  CHANGE_WINDOW,
  RECENT_CHANGES,
  RESOURCE_LIST,
  RESOURCE_PAGE,
  SOURCE_DESCRIPTION,
} from './document-operations.ts';
import type { Operation } from './operation.ts';
import { get, param, type Route } from './route.ts';
import { sendDocument } from './send-document.ts';
import type { ServedApp } from './served-app.ts';
import { shownSets } from './shown-sets.ts';

type Find = (slug: string, name: string) => Promise<PublishedDocument>;

interface Window {
  readonly from?: Stamp | undefined;
  readonly until?: Stamp | undefined;
}

/** The documents of ResourceSync. */
export function documentRoutes({ publisher, sets, configuration }: ServedApp): readonly Route[] {
  const { idleTimeout, baseUrl } = configuration;

  /** A document of a set that its path names, all but `from` and `until`. */
  function document(path: string, operation: Operation, find: Find): Route {
    return get(path, {
      action: 'read-documents',
      operation,
      async handle(request, response) {
        const document = await find(param(request, 'set'), param(request, 'name'));
        await sendDocument(request, response, { document, idleTimeout });
      },
    });
  }

  async function changesBetween(request: Request, response: Response, { from, until }: Window): Promise<void> {
    const slug = param(request, 'set');
    const range = { from: from && boundaryBefore(from), until: until && boundaryAfter(until) };
    const { document, next } = await publisher.changesBetween(slug, range);
    if (next !== undefined) {
      const query = new URLSearchParams({ from: formatStamp(next) });
      if (range.until !== undefined) query.set('until', formatStamp(range.until));
      response.append('Link', `<${setUris(baseUrl, slug).changeList}?${query}>; rel="next"`);
    }
    await sendDocument(request, response, { document, idleTimeout });
  }

  return [
    get('/.well-known/resourcesync', {
      action: 'read-source',
      operation: SOURCE_DESCRIPTION,
      async handle(request, response) {
        const document = await publisher.sourceDescription(await shownSets({ sets }, response));
        await sendDocument(request, response, { document, idleTimeout });
      },
    }),
    document('/sets/:set/capabilitylist.xml', CAPABILITY_LIST, (slug) => publisher.capabilityList(slug)),
    document('/sets/:set/resourcelist.xml', RESOURCE_LIST, (slug) => publisher.resourceList(slug)),
    document('/sets/:set/resourcelist-:name.xml', RESOURCE_PAGE, (slug, name) => publisher.resourcePage(slug, name)),
    get('/sets/:set/changelist.xml', {
      action: 'read-documents',
      operation: CHANGE_LIST,
      /** With `from` or `until` the changes of that time, without them the whole list. */
      async handle(request, response, window) {
        if (window.from !== undefined || window.until !== undefined) return changesBetween(request, response, window);
        const document = await publisher.changeList(param(request, 'set'));
        await sendDocument(request, response, { document, idleTimeout });
      },
    }),
    document('/sets/:set/changelist-recent.xml', RECENT_CHANGES, (slug) => publisher.recentChanges(slug)),
    document('/sets/:set/changelist-:name.xml', CHANGE_WINDOW, (slug, name) => publisher.changeWindow(slug, name)),
  ];
}
