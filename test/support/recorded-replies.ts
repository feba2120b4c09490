import assert from 'node:assert/strict';
import { IngestFailure } from '../../src/datasets/ingest-failure.ts';
import type { HtmlBiblio } from '../../src/datasets/landing/biblio.ts';
import type { Landing } from '../../src/datasets/landing/landing.ts';
import type { AskedDataset, DatasetPlatform, PlatformClient, PlatformDataset } from '../../src/datasets/platform.ts';

interface LandingPage extends Partial<Landing> {
  readonly biblio?: Partial<HtmlBiblio>;
  readonly followLatest?: boolean;
  /** The URL of the request; that of the page by default. */
  readonly from?: string;
}

/** What is known of a request that ended at a page of HTML. */
export function askedAt(url: string, { biblio, followLatest = false, from = url, ...more }: LandingPage = {}) {
  return {
    request: { ingest_type: 'dataset', base_url: from },
    landing: {
      url,
      dt: '20240102030405',
      statusCode: 200,
      mimetype: 'text/html',
      isHtml: true,
      hops: from === url ? [url] : [from, url],
      signposts: [],
      jsonLd: [],
      ...more,
    },
    biblio: { meta: {}, ...biblio },
    followLatest,
  } satisfies AskedDataset;
}

/** A client that answers from recorded replies by their URLs, and with `platform-404` for others. */
export function recordedClient(replies: Readonly<Record<string, unknown>>): PlatformClient {
  return {
    async json(url) {
      if (url in replies) return structuredClone(replies[url]);
      throw new IngestFailure('platform-404', `there is no reply for ${url}`);
    },
    async text() {
      throw new Error('it is not used');
    },
  };
}

/** What a platform reads of recorded replies, when it recognizes the page. */
export async function readRecorded(
  platform: DatasetPlatform,
  asked: AskedDataset,
  replies: Readonly<Record<string, unknown>>,
): Promise<PlatformDataset> {
  assert.equal(matches(platform, asked), true, `${platform.name} does not recognize ${asked.landing.url}`);
  return await platform.processRequest(asked, recordedClient(replies));
}

export function matches(platform: DatasetPlatform, { request, landing, biblio }: AskedDataset): boolean {
  return platform.matchRequest(request, landing, biblio);
}

/** The status and the message with which an attempt fails. */
export async function failureOf(attempt: Promise<unknown> | (() => unknown)): Promise<string> {
  const thrown = await (typeof attempt === 'function' ? Promise.resolve().then(attempt) : attempt).then(
    () => assert.fail('it did not fail'),
    (error: unknown) => error,
  );
  if (!(thrown instanceof IngestFailure)) throw thrown;
  return `${thrown.status}: ${thrown.message}`;
}
