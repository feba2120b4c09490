import { S3Client } from '@aws-sdk/client-s3';
import { limitAnswers } from './limit-answers.ts';
import type { S3Location } from './s3-location.ts';
import { type S3Waiting, waitWhileAway } from './wait-while-away.ts';

const CONNECTION_TIMEOUT_MS = 5_000;
/** The client's backoff grows up to 20 seconds; it gives up on an overloaded server after some 10 seconds. */
const ATTEMPTS = 5;
const SOCKETS = 64;
/** Other servers accept any region. They expect this one if none is configured. */
const USUAL_REGION = 'us-east-1';

export interface S3ClientSettings {
  /** Milliseconds without data until a request is repeated. */
  readonly timeoutMs: number;
  /** Number of attempts for each request; the default is 5. */
  readonly attempts?: number;
  /** For work that no person waits for: it waits while the server is away. Then each request has one attempt. */
  readonly waiting?: S3Waiting | undefined;
}

/** @param endpoint the URL of the server; by default the endpoint of the location, and Amazon if it has none */
export function createClient(
  location: S3Location,
  { timeoutMs, waiting, attempts = waiting === undefined ? ATTEMPTS : 1 }: S3ClientSettings,
  endpoint = location.endpoint,
): S3Client {
  const { pathStyle, anonymous, profile } = location;
  const region = location.region ?? (endpoint === undefined ? undefined : USUAL_REGION);
  const agent = { maxSockets: SOCKETS, keepAlive: true };
  const client = new S3Client({
    ...(endpoint !== undefined && { endpoint }),
    ...(region !== undefined && { region }),
    ...(profile !== undefined && { profile }),
    ...(anonymous && {
      credentials: { accessKeyId: '', secretAccessKey: '' },
      signer: { sign: async (request) => request },
    }),
    forcePathStyle: pathStyle,
    followRegionRedirects: endpoint === undefined,
    maxAttempts: attempts,
    retryMode: 'standard',
    requestHandler: {
      connectionTimeout: Math.min(timeoutMs, CONNECTION_TIMEOUT_MS),
      socketTimeout: timeoutMs,
      httpAgent: agent,
      httpsAgent: agent,
    },
    // Integrity is checked by our own hashes, and not every server supports the newer checksums.
    requestChecksumCalculation: 'WHEN_REQUIRED',
    responseChecksumValidation: 'WHEN_REQUIRED',
  });
  limitAnswers(client);
  if (waiting !== undefined) waitWhileAway(client, location, waiting);
  return client;
}
