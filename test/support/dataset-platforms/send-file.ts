import { zip } from '../upload-packages.ts';
import { tableForm } from './dataverse.ts';
import { serveFile } from './file-faults.ts';
import type { Call } from './platform-routes.ts';
import { notFound, redirect } from './responses.ts';
import { contentOf, type ServedDataset } from './simulated-dataset.ts';

/** Redirects to a URL of the storage, which is valid once. */
export function sendSigned({ served, response }: Call, number: number, form = 'usual'): void {
  if (served.files.has(number))
    redirect(response, `/storage/${number}/${form}?X-Amz-Expires=60&X-Amz-Signature=${served.sign()}`);
  else notFound(response);
}

export function sendFromStorage({ request, response, query, found: [number, form], served }: Call): void {
  if (!served.isSigned(query.get('X-Amz-Signature'))) {
    response.writeHead(403, { 'content-type': 'application/xml' });
    response.end('<Error><Code>AccessDenied</Code><Message>Request has expired</Message></Error>');
    return;
  }
  const file = served.files.get(Number(number))!;
  serveFile(request, response, file.isTable === true && form !== 'original' ? tableForm(file) : file);
}

export function sendFile({ request, response, served }: Call, number: number | undefined): void {
  const file = number === undefined ? undefined : served.files.get(number);
  if (file === undefined) notFound(response);
  else serveFile(request, response, file);
}

/** Sends the ZIP of a version, or of the latest one. */
export function sendBundle({ response }: Call, dataset: ServedDataset | undefined, version = dataset?.version): void {
  const one = dataset?.versions.find((each) => each.version === version);
  if (dataset === undefined || one === undefined) {
    notFound(response);
    return;
  }
  const entries = one.files.map(({ name, size }) => [name, contentOf(name, size)] as const);
  const body = dataset.bundle ?? zip({ ...Object.fromEntries(entries), 'MANIFEST.TXT': 'A list of files' });
  response.writeHead(200, { 'content-type': 'application/zip' }).end(body);
}
