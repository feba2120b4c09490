import { errors } from '@elastic/transport';
import { isTidemarkError, TidemarkError } from '../../core/errors.ts';
import type { Answer } from './answer.ts';
import type { RequestOutcome } from './request-outcome.ts';

/** What Elasticsearch says when it refuses. */
export interface Refusal {
  readonly error?: ElasticsearchError | string;
}

interface ElasticsearchError {
  readonly type?: string;
  readonly reason?: string;
  /** What made a search fail, whose own type only says that it did. */
  readonly root_cause?: readonly { readonly type?: string; readonly reason?: string }[];
}

/** Which cluster was asked, for errors. */
interface Asked {
  readonly name: string;
  /** The setting that names it. */
  readonly variable: string;
}

/** How a request that has failed has ended. */
export function outcomeOf(error: unknown): RequestOutcome {
  if (error instanceof errors.ResponseError) return error.statusCode === 429 ? 'overloaded' : 'refused';
  if (isTidemarkError(error)) return 'refused';
  return error instanceof errors.TimeoutError ? 'timed_out' : 'unreachable';
}

/** What the transport throws, in our words. */
export function transportError(cluster: Asked, error: unknown): unknown {
  if (isTidemarkError(error)) return error;
  if (error instanceof errors.ResponseError) {
    return refusalError(cluster, { status: error.statusCode ?? 0, body: error.body as Refusal });
  }
  if (error instanceof errors.ProductNotSupportedError) {
    return new TidemarkError(
      'incompatible',
      `${cluster.name} is no Elasticsearch (perhaps OpenSearch, or a version before 7.14): use Elasticsearch 8 or 9`,
    );
  }
  if (error instanceof errors.RequestAbortedError) {
    // The only reason for which a request is given up. A program between us may compress what was not to be compressed.
    const message = `Elasticsearch at ${cluster.name} sent an answer that is too large, or compressed`;
    return new TidemarkError('unavailable', message, { tooLarge: true }, error);
  }
  const said = (error as Error).message;
  const advice = /certificate/i.test(said)
    ? `its certificate does not verify: name its authority in ${cluster.variable}_CA`
    : error instanceof errors.TimeoutError
      ? 'it did not answer in time'
      : said;
  return new TidemarkError('unavailable', `Elasticsearch at ${cluster.name} cannot be reached: ${advice}`, {}, error);
}

/** Elasticsearch itself redirects nothing. */
export function redirectError({ name, variable }: Asked, status: number): TidemarkError {
  return new TidemarkError(
    'unavailable',
    `${name} answers with a redirect (${status}), perhaps of a proxy: name the server of Elasticsearch itself in ${variable}`,
    { status },
  );
}

/** What an answer from 400 on means. */
export function refusalError({ name, variable }: Asked, { status, body }: Answer<Refusal>): TidemarkError {
  const { type = '', reason = '' } = causeOf(body?.error);
  const where = `Elasticsearch at ${name}`;
  const unavailable = (message: string) => new TidemarkError('unavailable', `${where} ${message}`, { status, type });
  if (status === 401) return unavailable(`refuses the user or the key: check ${variable} or ${variable}_API_KEY`);
  if (type === 'cluster_block_exception') return unavailable(`has blocked an index (${reason}): is its disk full?`);
  if (status === 403) return unavailable(`lacks a privilege for this account: ${reason}`);
  if (type === 'index_not_found_exception')
    return unavailable(`has lost an index (${reason}): restore it from a snapshot`);
  if (status === 429) return unavailable(`is overloaded: ${reason}`);
  return unavailable(`answered ${status} ${type}: ${reason}`);
}

function causeOf(error: ElasticsearchError | string | undefined): Pick<ElasticsearchError, 'type' | 'reason'> {
  if (typeof error !== 'object') return { reason: error ?? '' };
  return error.type === 'search_phase_execution_exception' ? (error.root_cause?.[0] ?? error) : error;
}
