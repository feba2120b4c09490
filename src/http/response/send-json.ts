import type { Response } from 'express';
import { setCaching } from './caching.ts';

/** Answers with JSON that no cache keeps. */
export function sendJson(response: Response, body: object, status = 200): void {
  setCaching(response, 'no-store');
  response.status(status).json(body);
}
