import { S3Client } from '@aws-sdk/client-s3';
import { limitAnswers } from './limit-answers.ts';
import type { S3Location } from './s3-location.ts';

const CONNECTION_TIMEOUT = 5_000;
/** The client waits longer each time, up to 20 seconds; it gives up after some 10 seconds of an overloaded server. */
const ATTEMPTS = 5;
const SOCKETS = 64;
/** Other servers take any region; this one is what they expect when they have none. */
const USUAL_REGION = 'us-east-1';

export interface S3ClientSettings {
  /** Milliseconds that a server may say nothing before it is asked again. */
  readonly timeout: number;
  /** How often a request is tried; 5 unless given. */
  readonly attempts?: number;
}

/** @param endpoint where requests go; undefined for Amazon's servers */
export function createClient(
  location: S3Location,
  { timeout, attempts = ATTEMPTS }: S3ClientSettings,
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
      connectionTimeout: Math.min(timeout, CONNECTION_TIMEOUT),
      socketTimeout: timeout,
      httpAgent: agent,
      httpsAgent: agent,
    },
    // We hash what we read and write ourselves, and not every server knows the newer checksums.
    requestChecksumCalculation: 'WHEN_REQUIRED',
    responseChecksumValidation: 'WHEN_REQUIRED',
  });
  limitAnswers(client);
  return client;
}
