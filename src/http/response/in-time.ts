import { TidemarkError } from '../../core/errors.ts';
import { withTimeout } from '../../lib/calls/with-timeout.ts';
import type { ServedBytes } from '../../sources/served-source.ts';
import { closeBody } from './send-answer.ts';

/** Milliseconds. Requests to an S3 server are repeated for minutes. */
const TIMEOUT_MS = 10_000;

/** Waits until the bytes of a response can be sent. @throws TidemarkError `unavailable` after ten seconds */
export function openBodyInTime<Body extends ServedBytes>(opening: Promise<Body>): Promise<Body> {
  return inTime(opening, closeBody);
}

/**
 * Waits for what a response needs of an artifact store or of a root.
 * @param close called with a result that comes too late
 * @throws TidemarkError `unavailable` after ten seconds
 */
export function inTime<Result>(
  work: Promise<Result>,
  close: (late: Result) => Promise<void> = async () => {},
): Promise<Result> {
  return withTimeout(work, TIMEOUT_MS, () => {
    work.then(close).catch(() => {});
    const seconds = TIMEOUT_MS / 1000;
    const message = `the bytes could not be read within ${seconds} seconds: the disk or the server that has them is slow`;
    throw new TidemarkError('unavailable', message);
  });
}
