import { unlessConflict } from '../../core/errors.ts';
import type { Catalog } from '../../stores/catalog.ts';
import { COLLECTION_KIND, type Collection } from './collection.ts';
import { HarvestRecord } from './harvest-record.ts';
import type { HarvestRun, NamedHarvest } from './harvest-run.ts';

interface Parts {
  readonly catalog: Pick<Catalog, 'get' | 'put'>;
  /** Private networks that may be requested, as addresses or in CIDR notation. */
  readonly networks: readonly string[];
  /** For collections of NSDL without a URL of their own. */
  readonly nsdlUrl: string | undefined;
}

/** Milliseconds without a byte, and of a whole request. */
const IDLE_MS = 10_000;
const LONGEST_MS = 20_000;
/** Milliseconds after which the process of an attempt that was not answered counts as dead: the clocks may differ. */
const GIVEN_UP_MS = LONGEST_MS + 10_000;

/** Sends the message of a run that has ended: one GET with `status`, `uuid` and `ts`, repeated until it is accepted. */
export class HarvestMessages {
  readonly #parts: Parts;

  constructor(parts: Parts) {
    this.#parts = parts;
  }

  /**
   * Sends the message once, unless it was accepted. Each attempt is recorded before it is sent, and the next one begins
   * when its answer is recorded, or can come no more. So two processes never send at the same time. Returns the run
   * after it: its `message` shows whether it has to be sent again.
   * @throws TidemarkError `not-found`; `conflict` when another process sends it
   */
  async send(name: NamedHarvest, signal: AbortSignal): Promise<HarvestRun> {
    const record = await HarvestRecord.open(this.#parts.catalog, name);
    const { message, status } = record.run;
    if (message === undefined || message.accepted !== undefined || status === undefined) return record.run;
    const url = this.urlOf((await this.#parts.catalog.get<Collection>(COLLECTION_KIND, name.collection))?.body);
    if (url === undefined) {
      await record.update({ message: undefined });
      return record.run;
    }
    if (message.begun !== undefined && Date.now() - message.begun < GIVEN_UP_MS) return record.run;
    const attempts = message.attempts + 1;
    await record.claim({ message: { ...message, attempts, begun: Date.now() } });
    const problem = await this.#request(messageUrl(url, record.run), signal);
    const result = problem === undefined ? { accepted: Date.now() } : { problem };
    await unlessConflict(record.update({ message: { attempts, ...result } }));
    return record.run;
  }

  /** Where the messages of a collection go; undefined for one that sends none. */
  urlOf(collection: Pick<Collection, 'message' | 'handle'> | undefined): string | undefined {
    return collection?.message ?? (collection?.handle === undefined ? undefined : this.#parts.nsdlUrl);
  }

  /** Sends a message of another kind. Returns why it was not accepted; undefined when it was. */
  sendTo(url: string, message: Pick<HarvestRun, 'status' | 'uuid'>, signal: AbortSignal): Promise<string | undefined> {
    return this.#request(messageUrl(url, message), signal);
  }

  /** Why it was not accepted; undefined when it was. */
  async #request(url: string, signal: AbortSignal): Promise<string | undefined> {
    const { HttpFetcher } = await import('../../client/read/http-fetcher.ts');
    const networkAdvice = ': have its network allowed first, by the setting --harvest-networks';
    const options = { privateNetworks: this.#parts.networks, networkAdvice, idleMs: IDLE_MS, responseMs: LONGEST_MS };
    const fetcher = new HttpFetcher({ ...options, redirectProblem: () => 'it was redirected' });
    try {
      const { status, discard } = await fetcher.get(url, 'identity', signal);
      discard();
      return status >= 200 && status < 300 ? undefined : `the server answers ${status}`;
    } catch (error) {
      signal.throwIfAborted();
      return (error as Error).message;
    } finally {
      fetcher.close();
    }
  }
}

/** NSDL: the time is that of the message, in ISO 8601 with Z. */
function messageUrl(url: string, { status, uuid }: Pick<HarvestRun, 'status' | 'uuid'>): string {
  const ts = `${new Date().toISOString().slice(0, 19)}Z`;
  return `${url}${url.includes('?') ? '&' : '?'}${new URLSearchParams({ status: String(status), uuid, ts })}`;
}

export function hasMessageToSend({ message }: HarvestRun): boolean {
  return message !== undefined && message.accepted === undefined;
}
