import type { Catalog } from '../../stores/catalog.ts';
import { JobWaits } from '../../stores/job-waits.ts';
import { updateDocument } from '../../stores/update-document.ts';
import type { MessageChannel, UploadMessage } from './upload-message.ts';

/** Messages to an organization in an hour, for each way. A script that fails all day must not fill a mailbox. */
const MOST_AN_HOUR = 10;
const HOUR_MS = 3_600_000;
/** Milliseconds after which a job that waits checks again. */
const AGAIN_MS = 300_000;
/** Messages that wait for the next one, and ids of those that were sent as a part of one. */
const MOST_KEPT = 2_000;

interface Budget {
  /** When messages were sent within the last hour, oldest first, in milliseconds since 1970. */
  readonly sent: readonly number[];
  /** What has to wait for the next message, which contains all of it. */
  readonly waiting: readonly UploadMessage[];
  /** What was sent as a part of another message. */
  readonly included: readonly string[];
}

const NOTHING: Budget = { sent: [], waiting: [], included: [] };

/** Limits the messages to one organization. What is above the limit is sent together in the next message. */
export class MessageBudget {
  readonly #catalog: Pick<Catalog, 'get' | 'put'>;
  readonly #name;

  constructor(catalog: Pick<Catalog, 'get' | 'put'>, organization: string, channel: MessageChannel) {
    this.#catalog = catalog;
    this.#name = { kind: 'upload-messages', id: `${organization}/${channel}` } as const;
  }

  /**
   * What a message about an upload contains: itself, and what has waited. Empty when another message has had it.
   * @throws JobWaits when too many were sent within the hour
   */
  async take(message: UploadMessage): Promise<readonly UploadMessage[]> {
    const now = Date.now();
    const { sent, waiting, included } = await this.#update((before) => {
      const recent = before.sent.filter((at) => at > now - HOUR_MS);
      const isKnown = [...before.included, ...before.waiting.map(idOf)].includes(idOf(message));
      const isWaiting = recent.length >= MOST_AN_HOUR && !isKnown;
      return {
        ...before,
        sent: recent,
        waiting: isWaiting ? [...before.waiting, message].slice(-MOST_KEPT) : before.waiting,
      };
    });
    if (included.includes(idOf(message))) return [];
    if (sent.length >= MOST_AN_HOUR) {
      const reason = `${MOST_AN_HOUR} messages were sent within an hour: the next one will contain this one`;
      const until = sent[0]! + HOUR_MS;
      throw new JobWaits(reason, { againMs: Math.min(Math.max(1_000, until - now), AGAIN_MS) });
    }
    return [...waiting.filter((other) => idOf(other) !== idOf(message)), message];
  }

  /** Records that a message with these contents was sent. */
  async sent(contents: readonly UploadMessage[]): Promise<void> {
    const ids = contents.map(idOf);
    await this.#update(({ sent, waiting, included }) => ({
      sent: [...sent, Date.now()],
      waiting: waiting.filter((message) => !ids.includes(idOf(message))),
      included: [...included, ...ids].slice(-MOST_KEPT),
    }));
  }

  #update(change: (before: Budget) => Budget): Promise<Budget> {
    return updateDocument<Budget>(this.#catalog, this.#name, (before = NOTHING) => change(before));
  }
}

function idOf({ stream, number, event, at }: UploadMessage): string {
  return [stream, number, event, at].join('~');
}
