import type { Request } from 'express';
import { parseUploadNumber, type Upload } from '../../records/arrivals/upload.ts';
import type { Uploads } from '../../records/arrivals/uploads.ts';
import { param } from './admitted.ts';

/** The upload that the path names by `:org`, `:stream` and `:number`. @throws TidemarkError `not-found` */
export function uploadOf(uploads: Pick<Uploads, 'get'>, request: Request): Promise<Upload> {
  return uploads.get(param(request, 'org'), param(request, 'stream'), parseUploadNumber(param(request, 'number')));
}
