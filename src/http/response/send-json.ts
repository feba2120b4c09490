import type { Response } from 'express';
import { setCaching } from './caching.ts';

/** Responds with JSON that no cache stores. */
export function sendJson(response: Response, body: object, status = 200): void {
  setCaching(response, 'no-store');
  response.status(status).json(body);
}
