import type { Express, Request, Response } from 'express';
import { recordRoute } from '../request/observation.ts';
import type { Route } from '../request/route.ts';

/** Leads from the address of a page without its final slash, which people type, to the page, if there is one. */
export function addFinalSlash(server: Express, routes: readonly Route[]): void {
  const paths = new Set(routes.filter(({ method }) => method === 'get').map(({ path }) => path));
  for (const path of paths) {
    const without = path.replace(/\/$/, '');
    if (without === '' || paths.has(without)) continue;
    server.get(without, (request, response) => {
      recordRoute(response, path);
      redirect(request, response);
    });
  }
}

function redirect({ originalUrl }: Request, response: Response): void {
  const [path = '', ...query] = originalUrl.split(/(?=\?)/);
  // A proxy may have removed the beginning of the path, so the address is relative. A name may have a colon.
  response.redirect(308, `./${path.slice(path.lastIndexOf('/') + 1)}/${query.join('')}`);
}
