import { TidemarkError } from '../../core/errors.ts';
import { withTimeout } from '../../lib/calls/with-timeout.ts';
import type { ServedBytes } from '../../sources/served-source.ts';
import { closeBody } from './send-answer.ts';

/** Milliseconds in which the bytes of a response must be opened. Requests to an S3 server are repeated for minutes. */
const OPEN_TIMEOUT_MS = 10_000;

/** Waits until the bytes of a response can be sent. @throws TidemarkError `unavailable` after ten seconds */
export function openBodyInTime<Body extends ServedBytes>(opening: Promise<Body>): Promise<Body> {
  return openInTime(opening, closeBody);
}

/**
 * Waits until what has the bytes of a response is open.
 * @param close called with what is opened too late
 * @throws TidemarkError `unavailable` after ten seconds
 */
export function openInTime<Opened>(
  opening: Promise<Opened>,
  close: (opened: Opened) => Promise<void>,
): Promise<Opened> {
  return withTimeout(opening, OPEN_TIMEOUT_MS, () => {
    opening.then(close).catch(() => {});
    throw new TidemarkError(
      'unavailable',
      `the bytes could not be read within ${OPEN_TIMEOUT_MS / 1000} seconds: the disk or the server that has them is slow`,
    );
  });
}
