import type { Response } from 'express';
import type { Handler } from './route.ts';
import type { ServedApp } from './served-app.ts';

/** What an operator's tools ask. */
export function healthHandlers({ index, sets }: ServedApp) {
  /** The process is alive. */
  const healthz: Handler = (_request, response) => answer(response, 200, { status: 'ok' });

  /** The store answers, and every set's first scan is complete. */
  const readyz: Handler = async (_request, response) => {
    await index.watermark();
    const scanning = (await sets.list()).filter(({ ready }) => !ready).map(({ slug }) => slug);
    if (scanning.length === 0) return answer(response, 200, { status: 'ready' });
    const message = `the first scan of ${scanning.slice(0, 10).join(', ')} is not complete`;
    response.set('Retry-After', '2');
    return answer(response, 503, { error: { code: 'not-ready', message, scanning: scanning.slice(0, 1000) } });
  };

  return { healthz, readyz };
}

function answer(response: Response, status: number, body: object): void {
  response.status(status).set('Cache-Control', 'no-store').json(body);
}
