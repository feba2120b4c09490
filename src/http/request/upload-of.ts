import type { Request } from 'express';
import { clientAddress } from '../../access/client-address.ts';
import { administers } from '../../access/may.ts';
import type { UploadReader } from '../../api/upload-view.ts';
import { parseUploadNumber, type Sender, type Upload } from '../../records/arrivals/upload.ts';
import type { Uploads } from '../../records/arrivals/uploads.ts';
import { param, type RoutedResponse, senderOf } from './admitted.ts';

/** The upload that the path names by `:org`, `:stream` and `:number`. @throws TidemarkError `not-found` */
export function uploadOf(uploads: Pick<Uploads, 'get'>, request: Request): Promise<Upload> {
  return uploads.get(param(request, 'org'), param(request, 'stream'), parseUploadNumber(param(request, 'number')));
}

/** The sender of a request, as an upload records it. */
export function uploadSender(request: Pick<Request, 'headers' | 'socket'>, response: RoutedResponse): Sender {
  const sender = senderOf(response);
  const address = clientAddress(request.headers, request.socket.remoteAddress);
  const named = sender.kind === 'token' ? { token: sender.id, name: sender.name } : { name: sender.kind };
  return { ...named, ...(address !== '' && { address }) };
}

/** What the sender of a request may see of uploads. */
export function uploadReader(response: RoutedResponse): UploadReader {
  return { seesSenders: administers(senderOf(response)) };
}
