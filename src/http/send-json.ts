import type { Response } from 'express';

/** Answers with JSON that no cache keeps. */
export function sendJson(response: Response, body: object, status = 200): void {
  response.status(status).set('Cache-Control', 'no-store').json(body);
}
