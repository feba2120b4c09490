import { shortened } from '../lib/excerpt.ts';
import type { RawReply } from './datasets.ts';
import type { DatasetFetcher, Fetched } from './fetch/dataset-fetcher.ts';
import { mediaTypeOf } from './fetch/media-type-of.ts';
import { parseJson } from './fetch/parse-json.ts';
import { fetchAndRead, readBytes } from './fetch/read-body.ts';
import { isPassing, refuseChallenge, remedyOf } from './fetch/require-capture.ts';
import { shownUrl } from './fetch/shown-url.ts';
import { IngestFailure } from './ingest-failure.ts';
import type { PlatformClient, PlatformReply } from './platform.ts';

export interface PlatformClientOptions {
  readonly fetcher: DatasetFetcher;
  readonly signal: AbortSignal;
  /** Most bytes of a reply; 32 MB by default. */
  readonly mostBytes?: number;
  /** Gets each reply as it came, also those with an error. */
  onReply?(reply: RawReply): void;
}

/** Dataverse lists 10,000 files in one reply, with 1.5 kB each, and with descriptions of any length. */
const MOST_BYTES = 32 * 1024 * 1024;
const JSON_TYPE = 'application/json';

/** A client of the API of any platform. */
export function openPlatformClient(options: PlatformClientOptions): PlatformClient {
  return {
    async json(url, { accept = JSON_TYPE } = {}) {
      return jsonOf(await replyOf(url, accept, options));
    },
    async text(url, { accept = JSON_TYPE } = {}) {
      const { bytes, ...reply } = await replyOf(url, accept, options);
      return { ...reply, text: decode(bytes) };
    },
  };
}

interface ByteReply extends Omit<PlatformReply, 'text'> {
  readonly bytes: Uint8Array;
}

function replyOf(url: string, accept: string, options: PlatformClientOptions): Promise<ByteReply> {
  const { fetcher, signal, mostBytes = MOST_BYTES, onReply } = options;
  const asked = { url, accept, signal, unanswered: 'error-platform-download' } as const;
  return fetchAndRead(fetcher, asked, async (fetched) => {
    const { status, headers } = fetched;
    if (onReply === undefined) requireReply(fetched);
    const { bytes, isCut } = await readBytes(fetched, mostBytes);
    onReply?.({ url: shownUrl(fetched.url), status, text: decode(bytes) });
    requireReply(fetched);
    if (isCut) throw badReply(fetched.url, `has more than ${mostBytes.toLocaleString('en-US')} bytes`);
    return { url: fetched.url, mimetype: mediaTypeOf(headers['content-type']), bytes, headers };
  });
}

const STATUSES: Readonly<Record<number, IngestFailure['status']>> = {
  401: 'platform-restricted',
  403: 'platform-restricted',
  404: 'platform-404',
  410: 'platform-404',
};

/** @throws IngestFailure as PlatformClient says */
function requireReply(fetched: Fetched): void {
  refuseChallenge(fetched);
  const { status, url } = fetched;
  if (status === 200 || status === 203) return;
  const failed = STATUSES[status] ?? (isPassing(status) ? 'error-platform-download' : 'bad-platform-reply');
  throw new IngestFailure(failed, `the API of the platform, ${shownUrl(url)}, answers ${status}: ${remedyOf(status)}`);
}

function jsonOf({ url, mimetype, bytes }: ByteReply): unknown {
  try {
    return parseJson(new TextDecoder('utf-8', { fatal: true }).decode(bytes));
  } catch (error) {
    const what = mimetype === JSON_TYPE ? (error as Error).message : `it is ${mimetype || 'of no media type'}`;
    throw badReply(url, `is no JSON that can be read (${shortened(what, 100)})`, error);
  }
}

function badReply(url: string, what: string, cause?: unknown): IngestFailure {
  const remedy = 'see what it is by `tidemark datasets ingest --dry-run --raw`';
  return new IngestFailure('bad-platform-reply', `the reply of the platform, ${shownUrl(url)}, ${what}: ${remedy}`, {
    cause,
  });
}

const decode = (bytes: Uint8Array): string => new TextDecoder().decode(bytes);
