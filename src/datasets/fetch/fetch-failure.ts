import { FetchFailure, PrivateHost, RedirectLoop, Refused, RefusedRedirect } from '../../client/read/fetcher.ts';
import { IngestFailure } from '../ingest-failure.ts';
import type { FetchOptions } from './dataset-fetcher.ts';
import { shownUrl } from './shown-url.ts';

/** A body that breaks off: a later request may get all of it. */
export class BrokenBody extends IngestFailure {}

/** How a private network is allowed, for the end of a message. */
export const NETWORK_ADVICE = 'have its network allowed first, by the setting --dataset-networks';

/** Turns the failure of a request into the outcome of a dataset; other errors are returned as they are. */
export function ingestFailureOf(error: unknown, url: string, unanswered: FetchOptions['unanswered']): unknown {
  if (!(error instanceof FetchFailure)) return error;
  const message = `${shownUrl(url)} cannot be fetched: ${error.message}`;
  const failed = (status: IngestFailure['status'], remedy: string) =>
    new IngestFailure(status, `${message}${remedy}`, { cause: error });
  if (error instanceof RedirectLoop)
    return failed('redirect-loop', ': open it in a browser, and request where it ends');
  if (error instanceof RefusedRedirect) return failed('redirect-refused', '');
  if (error.cause instanceof PrivateHost) return failed('blocked-network', '');
  const isCertificate = error instanceof Refused && error.message.includes('certificate');
  const ofCertificate = '. If you trust it, name the file of its issuer in NODE_EXTRA_CA_CERTS';
  return failed(unanswered, isCertificate ? ofCertificate : ': check the address and the network, then try again');
}
