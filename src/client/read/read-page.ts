import { FetchFailure, isUnanswered } from './fetcher.ts';
import { linksInHeader, linksInPage } from './page-links.ts';
import type { Reader } from './source-reader.ts';
import { TooLarge, unpacked } from './unpacked.ts';

const MOST_BYTES = 1024 * 1024;

export interface ReadPage {
  readonly uri: string;
  readonly status: number;
  readonly failure: string | undefined;
  /** Whether nothing is known of it, since its server did not answer. */
  readonly isUnanswered: boolean;
  readonly text: string;
  readonly isHtml: boolean;
  /** Absolute URIs of the header `Link`, by relation. */
  readonly links: Readonly<Record<string, readonly string[]>>;
  /** Absolute URIs of `<link rel="resourcesync">`. */
  readonly capabilityLists: readonly string[];
}

/** Reads the first megabyte of a page, of robots.txt or of a topic. */
export async function readPage(reader: Reader, uri: string): Promise<ReadPage> {
  reader.progress(uri);
  try {
    const fetched = await reader.fetcher.get(uri, 'gzip', reader.signal);
    const text = await textOf(unpacked(fetched, MOST_BYTES));
    const { status, headers } = fetched;
    const isHtml = /^(text\/html|application\/xhtml\+xml)/i.test(headers['content-type'] ?? '');
    const links = linksInHeader(headers.link ?? '');
    return {
      uri,
      status,
      text,
      isHtml,
      failure: status === 200 ? undefined : `the server answers ${status}`,
      isUnanswered: false,
      links: Object.fromEntries(Object.entries(links).map(([rel, hrefs]) => [rel, absolute(hrefs, fetched.uri)])),
      capabilityLists: isHtml ? absolute(linksInPage(text), fetched.uri) : [],
    };
  } catch (error) {
    reader.signal.throwIfAborted();
    if (!(error instanceof FetchFailure)) throw error;
    const nothing = { status: 0, text: '', isHtml: false, links: {}, capabilityLists: [] };
    return { uri, ...nothing, failure: error.message, isUnanswered: isUnanswered(error) };
  }
}

async function textOf(chunks: AsyncIterable<Buffer>): Promise<string> {
  const read: Buffer[] = [];
  try {
    for await (const chunk of chunks) read.push(chunk);
  } catch (error) {
    if (!(error instanceof TooLarge)) throw error;
  }
  return Buffer.concat(read).toString();
}

const absolute = (hrefs: readonly string[], base: string): readonly string[] =>
  hrefs.filter((href) => URL.canParse(href, base)).map((href) => new URL(href, base).href);
