import type { Response } from 'express';
import { CREDENTIALS } from '../../response/caching.ts';
import { policyOfPage } from './layout.ts';

/**
 * Sends a page. Its contents may depend on the viewer, so no cache in between may store it. The policy permits forms of
 * the page to send their origin: otherwise, browsers send the Origin `null` with a form.
 */
export function sendPage(response: Response, page: string, status = 200): void {
  setHeaders(response, 'private, no-cache');
  response.status(status).send(page);
}

/** Sends a page with a secret: a browser that goes back to it requests it again. */
export function sendPageOnce(response: Response, page: string): void {
  setHeaders(response, 'no-store');
  response.send(page);
}

/** Sends the beginning of a page. The caller sends the rest, and ends the response; a proxy must not hold it back. */
export function beginPage(response: Response, beginning: string): void {
  setHeaders(response, 'private, no-cache');
  response.set('X-Accel-Buffering', 'no').write(beginning);
}

function setHeaders(response: Response, caching: string): void {
  const policy = policyOfPage(response.req.path);
  if (policy !== undefined) response.set('Content-Security-Policy', policy);
  response.set({
    'Content-Type': 'text/html; charset=utf-8',
    'Cache-Control': caching,
    'Referrer-Policy': 'same-origin',
  });
  response.vary(CREDENTIALS);
}
