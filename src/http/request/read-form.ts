import type { IncomingMessage } from 'node:http';
import * as z from 'zod';
import { type BodyLimits, readBody, requestBody } from './request-body.ts';

const MOST_BYTES = 262_144;

/** The body of a form of a page. */
export const FORM_BODY = { 'application/x-www-form-urlencoded': 'text' } as const;

/** The body of a form that has fields without which it is refused. There may be others. */
export const formBody = <Fields extends z.ZodRawShape>(fields: Fields) =>
  ({ 'application/x-www-form-urlencoded': z.looseObject(fields) }) as const;

/** The fields of a form. @throws as readBody */
export async function readForm(request: IncomingMessage, limits: BodyLimits): Promise<URLSearchParams> {
  return new URLSearchParams((await readBody(requestBody(request, limits), MOST_BYTES)).toString());
}
