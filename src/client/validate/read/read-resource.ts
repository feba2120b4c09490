import { createHash, type Hash } from 'node:crypto';
import type { Document, Entry } from '../../read/document.ts';
import { isUnanswered } from '../../read/fetcher.ts';
import { linksInHeader } from '../../read/page-links.ts';
import { ReadFailure } from '../../read/read-failure.ts';
import { unpacked } from '../../read/unpacked.ts';
import type { ResourceAnswer } from '../rules/rule.ts';
import { instantOf } from '../rules/times.ts';
import type { Session } from './session.ts';

/** Last-Modified has whole seconds, and a list may be made in the same second in which a resource changes. */
const SAME_TIME_MS = 2_000;
const ALGORITHMS: Readonly<Record<string, string>> = {
  md5: 'md5',
  'sha-1': 'sha1',
  'sha-256': 'sha256',
  'sha-512': 'sha512',
};

interface ReadResource {
  readonly answer: ResourceAnswer;
  /** The Capability Lists of its header `Link`. */
  readonly capabilityLists: readonly string[];
}

/**
 * Requests a resource, and hashes it with the algorithms of its entry. Memory does not grow with its length. Returns
 * undefined when its server does not answer.
 */
export async function readResource(
  session: Session,
  entry: Entry,
  document: Document,
): Promise<ReadResource | undefined> {
  session.counts.resources++;
  session.progress(entry.loc);
  const hashes = startHashes(entry.md.hash);
  let length = 0;
  try {
    const fetched = await session.options.fetcher.get(entry.loc, 'identity', session.signal);
    const { status, headers, uri } = fetched;
    if (status !== 200) fetched.discard();
    else {
      for await (const chunk of bytesOf(session, fetched)) {
        session.signal.throwIfAborted();
        length += chunk.length;
        for (const hash of hashes.values()) hash.update(chunk);
      }
    }
    const links = linksInHeader(headers.link ?? '').resourcesync ?? [];
    return {
      answer: {
        status,
        headers,
        length,
        hashes: digestsOf(hashes),
        failure: undefined,
        redirected: uri !== entry.loc && uri !== new URL(entry.loc).href,
        changedLater: changedLater(headers['last-modified'], entry, document),
      },
      capabilityLists: links.filter((href) => URL.canParse(href, uri)).map((href) => new URL(href, uri).href),
    };
  } catch (error) {
    session.signal.throwIfAborted();
    if (!(error instanceof ReadFailure)) throw error;
    if (isUnanswered(error)) {
      session.addUnanswered(entry.loc, error.message);
      return undefined;
    }
    const nothing = { status: 0, headers: {}, length, hashes: {}, redirected: false, changedLater: false };
    return { answer: { ...nothing, failure: error.message }, capabilityLists: [] };
  }
}

/** A resource with a Content-Encoding is compared as it was received. */
function bytesOf({ limits }: Session, fetched: Parameters<typeof unpacked>[0]): AsyncIterable<Buffer> {
  const { 'content-encoding': _, ...headers } = fetched.headers;
  return unpacked({ ...fetched, headers }, limits.resourceBytes);
}

export function startHashes(list: string | undefined): ReadonlyMap<string, Hash> {
  const names = (list ?? '').split(/\s+/).map((hash) => hash.split(':')[0]!.toLowerCase());
  const known = names.filter((name) => Object.hasOwn(ALGORITHMS, name));
  return new Map(known.map((name) => [name, createHash(ALGORITHMS[name]!)]));
}

export const digestsOf = (hashes: ReadonlyMap<string, Hash>): Readonly<Record<string, string>> =>
  Object.fromEntries([...hashes].map(([name, hash]) => [name, hash.digest('hex')]));

/** Whether it was modified after the time of the change, or of the list. */
function changedLater(lastModified: string | undefined, { md }: Entry, document: Document): boolean {
  const of = instantOf(md.datetime ?? document.md.at) / 1000;
  return Date.parse(lastModified ?? '') > of + SAME_TIME_MS;
}
