import type { IncomingMessage, ServerResponse } from 'node:http';
import type { ServedDataset } from './simulated-dataset.ts';

export interface StandInPage {
  readonly status?: number;
  /** Its type is HTML unless they say otherwise. */
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string | Buffer;
}

export function sendPage(response: ServerResponse, { status = 200, headers = {}, body = '' }: StandInPage): void {
  response.writeHead(status, { 'content-type': 'text/html; charset=utf-8', ...headers }).end(body);
}

/** Sends the landing page of a dataset. */
export function sendLanding(response: ServerResponse, dataset: ServedDataset | undefined, url: string): void {
  if (dataset === undefined) notFound(response);
  else sendPage(response, landingPage(dataset, url));
}

/** Sends a reply of an API, changed as the dataset says. */
export function reply(
  { url = '' }: IncomingMessage,
  response: ServerResponse,
  { dataset, body }: { readonly dataset: ServedDataset | undefined; readonly body: unknown },
): void {
  if (body === undefined) {
    notFound(response);
    return;
  }
  const sent = dataset?.change === undefined ? body : dataset.change(body, url);
  response.writeHead(200, { 'content-type': 'application/json' });
  response.end(typeof sent === 'string' || Buffer.isBuffer(sent) ? sent : JSON.stringify(sent));
}

export function redirect(response: ServerResponse, location: string): void {
  response.writeHead(302, { location }).end();
}

export function notFound(response: ServerResponse): void {
  response.writeHead(404, { 'content-type': 'application/json' }).end('{"status":"ERROR","message":"not found"}');
}

function landingPage({ platform, id, title }: ServedDataset, url: string): StandInPage {
  const isInvenio = platform === 'zenodo' || platform === 'inveniordm';
  const generator = isInvenio ? '<meta name="generator" content="InvenioRDM 13.0">' : '';
  const site = platform === 'figshare' ? '<meta property="og:site_name" content="figshare">' : '';
  const linkset = `<${url}/api/records/${id}> ; rel="linkset" ; type="application/linkset+json"`;
  return {
    headers: { ...(isInvenio && { link: linkset }) },
    body: `<!doctype html><html><head><title>${title}</title>${generator}${site}</head><body>${title}</body></html>`,
  };
}
