import type { Request, Response } from 'express';
import { boundaryAfter, boundaryBefore, formatStamp } from '../domain/stamp.ts';
import { setUris } from '../publisher/document-uris.ts';
import type { PublishedDocument } from '../publisher/published-document.ts';
import { timeOf } from './query.ts';
import { type Handler, param } from './route.ts';
import { sendDocument } from './send-document.ts';
import type { ServedApp } from './served-app.ts';

type Find = (slug: string, request: Request) => Promise<PublishedDocument>;

/** The documents of ResourceSync. */
export function documentHandlers({ publisher, configuration }: ServedApp) {
  const { idleTimeout, baseUrl } = configuration;
  const document =
    (find: Find): Handler =>
    async (request, response) => {
      const found = await find(param(request, 'set'), request);
      await sendDocument(request, response, { document: found, idleTimeout });
    };

  async function changesBetween(request: Request, response: Response): Promise<void> {
    const slug = param(request, 'set');
    const [from, until] = [timeOf(request, 'from'), timeOf(request, 'until')];
    const range = { from: from && boundaryBefore(from), until: until && boundaryAfter(until) };
    const { document, next } = await publisher.changesBetween(slug, range);
    if (next !== undefined) {
      const query = new URLSearchParams({ from: formatStamp(next) });
      if (range.until !== undefined) query.set('until', formatStamp(range.until));
      response.append('Link', `<${setUris(baseUrl, slug).changeList}?${query}>; rel="next"`);
    }
    await sendDocument(request, response, { document, idleTimeout });
  }

  const changeList = document((slug) => publisher.changeList(slug));
  return {
    sourceDescription: document(() => publisher.sourceDescription()),
    capabilityList: document((slug) => publisher.capabilityList(slug)),
    resourceList: document((slug) => publisher.resourceList(slug)),
    resourcePage: document((slug, request) => publisher.resourcePage(slug, param(request, 'name'))),
    /** With `from` or `until` the changes of that time, without them the whole list. */
    changeList: ((request, response) => {
      const isWindow = request.query.from !== undefined || request.query.until !== undefined;
      return isWindow ? changesBetween(request, response) : changeList(request, response);
    }) satisfies Handler,
    recentChanges: document((slug) => publisher.recentChanges(slug)),
    changeWindow: document((slug, request) => publisher.changeWindow(slug, param(request, 'name'))),
  };
}
