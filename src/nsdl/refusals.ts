import { unlessConflict } from '../core/errors.ts';
import type { CollectionRegistry } from '../records/collections/collection-registry.ts';
import type { HarvestRuns } from '../records/collections/harvest-runs.ts';
import type { Catalog } from '../stores/catalog.ts';
import { updateDocument } from '../stores/update-document.ts';

/** A trigger file, or the pieces of a harvest, that no harvest was made of. One document of the catalog. */
export interface Refusal extends NewRefusal {
  /** Milliseconds since 1970, as all times here. */
  readonly at: number;
  /** The message that it has failed; absent when there is no URL for it. */
  readonly message?: RefusalMessage;
}

interface NewRefusal {
  readonly what: 'trigger' | 'pieces';
  /** The name of the file, or of the first one. */
  readonly file: string;
  readonly uuid: string;
  /** A sentence without a full stop. */
  readonly reason: string;
  readonly collectionNA?: string | undefined;
}

interface RefusalMessage {
  readonly url: string;
  readonly attempts: number;
  /** When an attempt began; another process leaves it alone for a while. */
  readonly begun?: number;
  readonly accepted?: number;
  /** Why the last attempt failed. */
  readonly problem?: string;
}

interface RefusalParts {
  readonly catalog: Pick<Catalog, 'get' | 'put' | 'list'>;
  readonly collections: Pick<CollectionRegistry, 'byHandle'>;
  readonly harvestRuns: Pick<HarvestRuns, 'byUuid'>;
  /** Where the message goes when the collection is unknown, or has none of its own. */
  readonly messageUrl: string | undefined;
  /** Sends status 4. Returns why it was not accepted; undefined when it was. Never rejects. */
  send(url: string, uuid: string): Promise<string | undefined>;
}

const KIND = 'nsdl-refusal';
/** Milliseconds: longer than an attempt takes. */
const BEING_SENT_MS = 60_000;
/** With one in ten minutes, a month. */
const MOST_ATTEMPTS = 4_320;

/** What was refused, and the messages about it: NSDL's harvest manager gets the end of each harvest, once. */
export class Refusals {
  readonly #parts: RefusalParts;

  constructor(parts: RefusalParts) {
    this.#parts = parts;
  }

  /** Records a refusal, unless there is one of the same uuid, whose message counts. */
  async add(refused: NewRefusal): Promise<void> {
    const { catalog, collections, harvestRuns, messageUrl } = this.#parts;
    const { collectionNA } = refused;
    const collection = collectionNA === undefined ? undefined : await collections.byHandle(collectionNA);
    // A harvest that was made has sent a message of its own.
    const hasRun = collection !== undefined && (await harvestRuns.byUuid(collection.id, refused.uuid)) !== undefined;
    const url = hasRun ? undefined : (collection?.message ?? messageUrl);
    const refusal: Refusal = {
      ...refused,
      at: Date.now(),
      ...(url !== undefined && { message: { url, attempts: 0 } }),
    };
    await unlessConflict(catalog.put(KIND, refused.uuid, refusal, undefined));
  }

  /** The newest first. */
  async list(): Promise<readonly Refusal[]> {
    const found = await this.#parts.catalog.list<Refusal>(KIND);
    return found.map(({ body }) => body).toSorted((one, other) => other.at - one.at);
  }

  /** Sends the messages that were not accepted yet. */
  async sendMessages(): Promise<void> {
    for (const { uuid, message } of await this.list()) {
      if (message === undefined || message.accepted !== undefined || message.attempts >= MOST_ATTEMPTS) continue;
      if (await this.#claim(uuid)) await this.#send(message.url, uuid);
    }
  }

  /** Whether this process sends it now. */
  async #claim(uuid: string): Promise<boolean> {
    const { catalog } = this.#parts;
    const now = Date.now();
    const found = await catalog.get<Refusal>(KIND, uuid);
    const message = found?.body.message;
    if (found === undefined || message === undefined || message.accepted !== undefined) return false;
    if (message.begun !== undefined && message.begun > now - BEING_SENT_MS) return false;
    const claimed = { ...found.body, message: { ...message, attempts: message.attempts + 1, begun: now } };
    return (await unlessConflict(catalog.put(KIND, uuid, claimed, found.version))) !== undefined;
  }

  async #send(url: string, uuid: string): Promise<void> {
    const problem = await this.#parts.send(url, uuid);
    await updateDocument<Refusal>(this.#parts.catalog, { kind: KIND, id: uuid }, (before) => {
      const { begun: _, problem: __, ...message } = before!.message!;
      return {
        ...before!,
        message: { ...message, ...(problem === undefined ? { accepted: Date.now() } : { problem }) },
      };
    });
  }
}
