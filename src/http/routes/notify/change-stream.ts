import { once } from 'node:events';
import type { Response } from 'express';
import { changeView } from '../../../api/resource-view.ts';
import type { Change } from '../../../core/change.ts';
import type { ResourceSet } from '../../../core/resource-set.ts';
import { formatStamp, type Stamp } from '../../../core/stamp.ts';
import type { ChangeFeed } from '../../../publish/notify/change-feed.ts';

/** Most milliseconds between two comments while nothing changes. */
const HEARTBEAT_MS = 15_000;
/** Milliseconds after which a stream ends: the client then connects again, and is admitted again. */
const LONGEST_MS = 3_600_000;
/** Milliseconds after which a client reconnects when a stream has ended. */
const RETRY_MS = 2_000;
/** Limits of one read, so that a slow client takes little memory. */
const AT_ONCE = { entries: 500, weight: 256 * 1024 };

/** Changes as events: all clients of a set share one text. */
const TEXTS = new WeakMap<Change, { readonly urlPrefix: string; readonly text: string }>();

interface ChangeStreamOptions {
  readonly set: ResourceSet;
  /** The boundary after which the first change comes. */
  readonly after: Stamp;
  /** Milliseconds for which a client may read nothing, and the longest silence of the stream. */
  readonly idleTimeoutMs: number;
  /** Ends the stream. */
  readonly stopping: AbortSignal;
  /** Whether the sender may still read the set. */
  isAdmitted(): Promise<boolean>;
}

/** Server-sent events (HTML Living Standard, 9.2) of one client, from a feed that it shares with others. */
export class ChangeStream {
  readonly #response: Response;
  readonly #options: ChangeStreamOptions;
  readonly #ending = new AbortController();

  constructor(response: Response, options: ChangeStreamOptions) {
    this.#response = response;
    this.#options = options;
  }

  /** Resolves when the client has disconnected, or the stream has ended. @throws TidemarkError as ChangeFeed.read */
  async run(feed: ChangeFeed): Promise<void> {
    const end = () => this.#ending.abort();
    const timer = setTimeout(end, LONGEST_MS);
    this.#response.once('close', end);
    this.#options.stopping.addEventListener('abort', end);
    if (this.#options.stopping.aborted || this.#response.destroyed) end();
    try {
      // The id is no event, but a client that connects again sends it: it misses nothing before its first event.
      await this.#write(`retry: ${RETRY_MS}\nid: ${formatStamp(this.#options.after)}\n\n`);
      await this.#follow(feed);
    } finally {
      clearTimeout(timer);
      this.#options.stopping.removeEventListener('abort', end);
      this.#response.end();
    }
  }

  async #follow(feed: ChangeFeed): Promise<void> {
    const { signal } = this.#ending;
    const { isAdmitted, idleTimeoutMs } = this.#options;
    const ms = Math.min(HEARTBEAT_MS, idleTimeoutMs / 2);
    let { after } = this.#options;
    while (!signal.aborted) {
      const { revision } = feed;
      const { changes, until } = await feed.read(after, AT_ONCE);
      const isSilent = changes.length === 0 && !(await feed.news(revision, { ms, signal }));
      after = until;
      // Checked after reading the changes: changes of a set that has become private by then are not sent.
      if (changes.length > 0 || isSilent) if (!(await isAdmitted())) return;
      if (isSilent) await this.#write(': still here\n\n');
      else await this.#write(changes.map((change) => this.#textOf(change)).join(''));
    }
  }

  #textOf(change: Change): string {
    const { set } = this.#options;
    const { urlPrefix } = set;
    const known = TEXTS.get(change);
    if (known?.urlPrefix === urlPrefix) return known.text;
    const view = JSON.stringify(changeView(set, change));
    const text = `id: ${formatStamp(change.stamp)}\nevent: change\ndata: ${view}\n\n`;
    TEXTS.set(change, { urlPrefix, text });
    return text;
  }

  /** Resolves when the client has read enough to send more; one that reads nothing for too long is disconnected. */
  async #write(text: string): Promise<void> {
    const { signal } = this.#ending;
    if (text === '' || signal.aborted || this.#response.write(text)) return;
    const timer = setTimeout(() => this.#response.destroy(), this.#options.idleTimeoutMs);
    await once(this.#response, 'drain', { signal }).catch(() => {});
    clearTimeout(timer);
  }
}
