import { formatBytes } from '../lib/format-bytes.ts';
import { formatCount } from '../lib/format-count.ts';
import { chooseStrategy, type WebLimits } from './choose-strategy.ts';
import type { RawReply } from './datasets.ts';
import { shownUrl } from './fetch/shown-url.ts';
import { IngestFailure } from './ingest-failure.ts';
import type { CrawledLanding } from './landing/crawl-landing.ts';
import type { Landing } from './landing/landing.ts';
import type { DatasetPlatform, PlatformClient, PlatformDataset } from './platform.ts';
import type { IngestOptions, IngestRequest } from './request.ts';
import { type Findings, sizeOf } from './result-of.ts';

export interface FindParts {
  readonly limits: IngestLimits;
  /** Asked in order. */
  readonly platforms: readonly DatasetPlatform[];
  /** The hosts that get a token (`--platform-token`). */
  readonly tokenHosts: readonly string[];
  crawl(url: string, signal: AbortSignal): Promise<CrawledLanding>;
  clientFor(asked: Pick<IngestQuery, 'signal' | 'onReply'>): PlatformClient;
}

interface IngestLimits {
  readonly files: number;
  readonly totalBytes: number;
  readonly web: WebLimits;
}

export interface IngestQuery {
  readonly request: IngestRequest;
  readonly options: IngestOptions;
  readonly signal: AbortSignal;
  onStep?(text: string): void;
  onReply?(reply: RawReply): void;
}

/**
 * Crawls base_url, asks its platform for the manifest, and chooses the strategy (D04, D20-D24).
 * @throws IngestFailure; the signal's reason
 */
export async function findDataset(
  asked: IngestQuery,
  parts: FindParts,
  findings: Findings,
): Promise<Required<Findings>> {
  const { request, options, signal, onStep } = asked;
  onStep?.(`requesting ${request.base_url}`);
  const { landing, biblio } = await parts.crawl(request.base_url, signal);
  findings.landing = landing;
  const platform = parts.platforms.find((one) => one.matchRequest(request, landing, biblio));
  if (platform === undefined) throw unmatched(landing);
  onStep?.(`asking ${platform.name} for the manifest`);
  const question = { request, landing, biblio, followLatest: options.followLatest === true };
  const dataset = await platform.processRequest(question, parts.clientFor(asked));
  findings.dataset = dataset;
  requireLimits(dataset, parts.limits);
  requireOwnFiles(dataset, parts.tokenHosts);
  const strategy = chooseStrategy(dataset, { bundled: options.bundle === true, limits: parts.limits.web });
  findings.strategy = strategy;
  return { landing, dataset, strategy };
}

function requireLimits(dataset: PlatformDataset, limits: IngestLimits): void {
  const { files, landingUrl } = dataset;
  if (files.length === 0) {
    throw new IngestFailure('empty-manifest', `${landingUrl} has no files: there is nothing to store`);
  }
  if (files.length > limits.files) {
    const counts = `${formatCount(files.length)} files, and at most ${formatCount(limits.files)} are ingested`;
    throw new IngestFailure('too-many-files', `${landingUrl} has ${counts}: raise --dataset-files to ingest it`);
  }
  const total = sizeOf(files);
  if (total > limits.totalBytes) {
    const sizes = `${formatBytes(total)}, and at most ${formatBytes(limits.totalBytes)} are ingested`;
    throw new IngestFailure('too-large-size', `${landingUrl} has ${sizes}: raise --dataset-size to ingest it`);
  }
}

/**
 * A token is that of the operator: a page of another host that names files there could make this program publish what
 * only its operator may read.
 */
function requireOwnFiles({ files, bundle, landingUrl }: PlatformDataset, tokenHosts: readonly string[]): void {
  const own = siteOf(landingUrl);
  for (const url of [bundle?.url, ...files.map(({ platformUrl }) => platformUrl)]) {
    if (url === undefined || !URL.canParse(url) || !tokenHosts.includes(new URL(url).host)) continue;
    if (`.${siteOf(url)}`.endsWith(`.${own}`)) continue;
    const { host } = new URL(url);
    const message = `${landingUrl} names a file at ${host}, which gets a token (--platform-token), but is another host`;
    throw new IngestFailure('bad-manifest', `${message}: request the dataset at ${host} itself`);
  }
}

const siteOf = (url: string): string => new URL(url).host.replace(/^www\./, '');

function unmatched({ url, mimetype, signposts }: Landing): IngestFailure {
  const next = signposts.find(({ rel }) => rel === 'refresh')?.href;
  const found = mimetype === '' ? 'its type is not known' : `it is ${mimetype}`;
  const remedy =
    next === undefined
      ? 'give the landing page of a dataset, or its DOI'
      : `it leads on to ${shownUrl(next)}, as only browsers follow: request that`;
  const message = `${shownUrl(url)} is of no platform that is known here (${found}): ${remedy}`;
  return new IngestFailure('no-platform-match', message);
}
