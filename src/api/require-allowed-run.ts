import { isAbsolute } from 'node:path';
import { requireAllowedRoot } from '../config/allowed-roots.ts';
import { isTidemarkError, TidemarkError } from '../core/errors.ts';
import { isS3 } from '../lib/s3/s3-location.ts';
import type { RunOptionsGiven } from '../records/activities/run-request.ts';
import { isStreamInput } from '../records/activities/stream-input.ts';
import { isSheet, isShipped } from '../records/transforms/load-transform.ts';

/**
 * Requires of a run that came with a request that it names nothing but what the server may read: a folder or file below
 * one of the allowed roots, or a stream, and as a transform a mapping or a sheet of XSLT there, or an included one. A
 * module would be code that runs in the server; a sheet reads files of its own folder, and nothing else.
 * @throws TidemarkError `forbidden`
 */
export async function requireAllowedRun(
  { from, transform }: Pick<RunOptionsGiven, 'from' | 'transform'>,
  allowed: readonly string[],
): Promise<void> {
  if (from !== undefined && !isStreamInput(from)) await requireReadable('from', from, allowed);
  if (transform === undefined || isShipped(transform)) return;
  if (!/\.json$/i.test(transform) && !isSheet(transform)) {
    const message =
      'a request names an included transform, a mapping (.json) or a sheet (.xsl, .xslt): a module would be code that runs in the server. Use the command line';
    throw new TidemarkError('forbidden', message, { field: 'transform' });
  }
  await requireReadable('transform', transform, allowed);
}

/** Whether a run reads files of the server, or of a bucket: only administrators may request that. */
export function readsFiles({ from, transform }: Pick<RunOptionsGiven, 'from' | 'transform'>): boolean {
  return (from !== undefined && !isStreamInput(from)) || (transform !== undefined && !isShipped(transform));
}

async function requireReadable(field: string, path: string, allowed: readonly string[]): Promise<void> {
  const message = `this server may not read that: ${field} is the absolute path, or the location on S3, of something below a root of the setting apiRoots (--api-roots)`;
  const refused = new TidemarkError('forbidden', message, { field });
  if (!isS3(path) && !isAbsolute(path)) throw refused;
  await requireAllowedRoot(path, allowed).catch((error: unknown) => {
    throw isTidemarkError(error, 'forbidden') ? refused : error;
  });
}
