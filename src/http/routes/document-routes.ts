import type { Request, Response } from 'express';
import { setUris } from '../../core/document-uris.ts';
import { boundaryAfter, boundaryBefore, formatStamp, type Stamp } from '../../core/stamp.ts';
import type { PublishedDocument } from '../../publish/published-document.ts';
import {
  type DocumentQuery,
  sendDocumentPage,
  type ViewedDocument,
  wantsPage,
} from '../pages/documents/document-view.ts';
import { get, param, type Route } from '../request/route.ts';
import type { ServedApp } from '../request/served-app.ts';
import { sendDocument } from '../response/send-document.ts';
import { shownSets } from '../response/shown-sets.ts';
import {
  CAPABILITY_LIST,
  CHANGE_LIST,
  CHANGE_WINDOW,
  type DocumentOperation,
  RECENT_CHANGES,
  RESOURCE_LIST,
  RESOURCE_PAGE,
  SOURCE_DESCRIPTION,
  SOURCE_DESCRIPTION_PART,
} from './document-operations.ts';

type Find = (slug: string, name: string) => Promise<PublishedDocument>;

interface Asked {
  readonly request: Request;
  readonly response: Response;
  readonly query: DocumentQuery;
}

interface Window {
  readonly from?: Stamp | undefined;
  readonly until?: Stamp | undefined;
}

/** The documents of ResourceSync. */
export function documentRoutes(app: ServedApp): readonly Route[] {
  const { publisher, configuration } = app;
  const { idleTimeout, baseUrl } = configuration;

  /** Sends XML, or to a browser a page that is made from it. */
  async function answer(asked: Asked, viewed: ViewedDocument): Promise<void> {
    const { request, response, query } = asked;
    if (wantsPage(request, query)) await sendDocumentPage(app, asked, viewed);
    else await sendDocument(request, response, { document: viewed.document, idleTimeout });
  }

  /** A document of a set that its path names, all but `from` and `until`. */
  function document(path: string, operation: DocumentOperation, find: Find): Route {
    return get(path, {
      action: 'read-documents',
      operation,
      async handle(request, response, query) {
        const document = await find(param(request, 'set'), param(request, 'name'));
        await answer({ request, response, query }, { document });
      },
    });
  }

  async function changesBetween(asked: Asked, { from, until }: Window): Promise<void> {
    const slug = param(asked.request, 'set');
    const range = { from: from && boundaryBefore(from), until: until && boundaryAfter(until) };
    const { document, next } = await publisher.changesBetween(slug, range);
    if (next === undefined) return answer(asked, { document });
    const query = new URLSearchParams({ from: formatStamp(next) });
    if (range.until !== undefined) query.set('until', formatStamp(range.until));
    const uri = `${setUris(baseUrl, slug).changeList}?${query}`;
    asked.response.append('Link', `<${uri}>; rel="next"`);
    return answer(asked, { document, next: uri });
  }

  return [
    get('/.well-known/resourcesync', {
      action: 'read-source',
      operation: SOURCE_DESCRIPTION,
      async handle(request, response, query) {
        const document = await publisher.sourceDescription(await shownSets(app, response));
        await answer({ request, response, query }, { document });
      },
    }),
    get('/description-:part.xml', {
      action: 'read-source',
      operation: SOURCE_DESCRIPTION_PART,
      async handle(request, response, query) {
        const document = await publisher.descriptionPart(await shownSets(app, response), param(request, 'part'));
        await answer({ request, response, query }, { document });
      },
    }),
    document('/sets/:set/capabilitylist.xml', CAPABILITY_LIST, (slug) => publisher.capabilityList(slug)),
    document('/sets/:set/resourcelist.xml', RESOURCE_LIST, (slug) => publisher.resourceList(slug)),
    document('/sets/:set/resourcelist-:name.xml', RESOURCE_PAGE, (slug, name) => publisher.resourcePage(slug, name)),
    get('/sets/:set/changelist.xml', {
      action: 'read-documents',
      operation: CHANGE_LIST,
      /** With `from` or `until` the changes of that time, without them the whole list. */
      async handle(request, response, query) {
        const asked = { request, response, query };
        if (query.from !== undefined || query.until !== undefined) return changesBetween(asked, query);
        await answer(asked, { document: await publisher.changeList(param(request, 'set')) });
      },
    }),
    document('/sets/:set/changelist-recent.xml', RECENT_CHANGES, (slug) => publisher.recentChanges(slug)),
    document('/sets/:set/changelist-:name.xml', CHANGE_WINDOW, (slug, name) => publisher.changeWindow(slug, name)),
  ];
}
