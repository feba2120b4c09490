import type { estypes } from '@elastic/elasticsearch';
import { isTidemarkError, TidemarkError } from '../../core/errors.ts';
import { RedirectError } from './bounded-connection.ts';
import { errors } from './client.ts';
import type { RequestOutcome } from './request-outcome.ts';

/** The properties of a cluster that errors name. */
interface ClusterNames {
  readonly name: string;
  /** The setting with its URLs. */
  readonly variable: string;
}

/** The outcome of a failed request. */
export function outcomeOf(error: unknown): RequestOutcome {
  if (error instanceof errors.ResponseError) return error.statusCode === 429 ? 'overloaded' : 'refused';
  if (error instanceof RedirectError) return 'refused';
  return error instanceof errors.TimeoutError ? 'timed_out' : 'unreachable';
}

/** Translates an error of the client into a TidemarkError. Any other error is one of this program, and stays. */
export function clientError(cluster: ClusterNames, error: unknown): unknown {
  if (isTidemarkError(error)) return error;
  if (error instanceof errors.ResponseError) return refusalError(cluster, error.statusCode ?? 0, error.body);
  if (error instanceof RedirectError) return redirectError(cluster, error);
  if (error instanceof errors.ProductNotSupportedError) {
    return new TidemarkError(
      'incompatible',
      `${cluster.name} is not Elasticsearch (perhaps OpenSearch, or a version before 7.14): use Elasticsearch 8 or 9`,
    );
  }
  if (error instanceof errors.RequestAbortedError) {
    // Only BoundedConnection aborts requests. A proxy may compress a response even if the request did not accept that.
    const message = `Elasticsearch at ${cluster.name} sent an answer that is too large, or compressed`;
    return new TidemarkError('unavailable', message, { tooLarge: true }, error);
  }
  if (!(error instanceof errors.ElasticsearchClientError)) return error;
  const { message } = error;
  const advice = /certificate/i.test(message)
    ? `its certificate does not verify: name its authority in ${cluster.variable}_CA`
    : /wrong version number/.test(message)
      ? 'it does not speak TLS: if it has no certificate, write http:// in place of https://'
      : error instanceof errors.TimeoutError
        ? 'it did not answer in time'
        : message;
  return new TidemarkError('unavailable', `Elasticsearch at ${cluster.name} cannot be reached: ${advice}`, {}, error);
}

/** Translates a response with a status of 400 or above. */
export function refusalError({ name, variable }: ClusterNames, status: number, body: unknown): TidemarkError {
  const { type, reason } = causeOf(body);
  const where = `Elasticsearch at ${name}`;
  const unavailable = (message: string) => new TidemarkError('unavailable', `${where} ${message}`, { status, type });
  if (status === 401) return unavailable(`refuses the user or the key: check ${variable} or ${variable}_API_KEY`);
  if (type === '' && reason === '') {
    const message = `${name} answered ${status}, and not as Elasticsearch does: another server, or a proxy, has answered. Check ${variable}`;
    return new TidemarkError('unavailable', message, { status, type });
  }
  if (type === 'cluster_block_exception') return unavailable(`has blocked an index (${reason}): is its disk full?`);
  if (status === 403) return unavailable(`lacks a privilege for this account: ${reason}`);
  if (type === 'index_not_found_exception')
    return unavailable(`has lost an index (${reason}): restore it from a snapshot`);
  if (status === 429) return unavailable(`is overloaded: ${reason}`);
  return unavailable(`answered ${status}${type && ` ${type}`}: ${reason}`);
}

/** The type and reason of a refusal, from the body of the response. A proxy may send any body. */
export function causeOf(body: unknown): { readonly type: string; readonly reason: string } {
  const { error } = Object(body) as Partial<estypes.ErrorResponseBase>;
  if (typeof error !== 'object') return { type: '', reason: error ?? '' };
  // The outer error of a search only states that it failed.
  const cause = error.type === 'search_phase_execution_exception' ? (error.root_cause?.[0] ?? error) : error;
  return { type: cause.type ?? '', reason: cause.reason ?? '' };
}

/** Elasticsearch itself never redirects. */
function redirectError({ name, variable }: ClusterNames, { status }: RedirectError): TidemarkError {
  return new TidemarkError(
    'unavailable',
    `${name} answers with a redirect (${status}), perhaps of a proxy: name the server of Elasticsearch itself in ${variable}`,
    { status },
  );
}

const OVERLOADED = ['circuit_breaking_exception', 'es_rejected_execution_exception'];

/**
 * Whether Elasticsearch, or a proxy that says so in its words, refused a request or document because it is too busy. It
 * was not executed, and may be sent again. A full disk (429, too) is another error: it lasts.
 */
export function isOverloaded(error: unknown): error is TidemarkError {
  return isTidemarkError(error, 'unavailable') && OVERLOADED.includes(String(error.details.type));
}

/** Whether a request failed because its index or alias does not exist. */
export function isMissingIndex(error: unknown): boolean {
  return isTidemarkError(error, 'unavailable') && error.details.type === 'index_not_found_exception';
}
