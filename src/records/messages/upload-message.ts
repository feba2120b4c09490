import type { Catalog } from '../../stores/catalog.ts';
import { type NamedUpload, parseUploadId } from '../arrivals/upload.ts';
import type { UploadState } from '../arrivals/upload-state.ts';
import type { MessageSettings } from '../message-settings.ts';
import type { OrganizationRegistry } from '../organization-registry.ts';

/** What a message is about: an upload that has failed for good, or was processed and has errors. */
export interface UploadMessage extends NamedUpload {
  readonly event: 'failed' | 'errors';
  /** When that happened, in milliseconds since 1970: a failure after a retry is another one. */
  readonly at: number;
}

export type MessageChannel = 'mail' | 'url';

export interface AddressedMessage extends UploadMessage {
  readonly channel: MessageChannel;
}

/** Documents that are read at a time. */
const PAGE = 500;
/** Milliseconds: what is older when a process sees it for the first time is not worth a message any more. */
const OLDEST_MS = 24 * 3_600_000;

/** The message about the current state of an upload; undefined when there is none. */
export function messageOf(upload: NamedUpload, { failure, applied, read }: UploadState): UploadMessage | undefined {
  if (applied === undefined) return failure?.isFinal ? { ...upload, event: 'failed', at: failure.at } : undefined;
  return (read?.totals.errors ?? 0) > 0 ? { ...upload, event: 'errors', at: applied.at } : undefined;
}

interface Parts {
  readonly catalog: Pick<Catalog, 'head' | 'list'>;
  readonly organizations: Pick<OrganizationRegistry, 'list'>;
}

/**
 * Finds the uploads about which a message is due. They follow from the states of uploads alone, so a process that is
 * killed between a failure and its message leaves it to the next one. The states of a day are passed again by each
 * process that starts: their jobs exist already.
 */
export class DueMessages {
  readonly #parts: Parts;
  #checked: number | undefined;

  constructor(parts: Parts) {
    this.#parts = parts;
  }

  /** Passes what is due since the last call to `add`. Call this often: it costs little while no state changes. */
  async visit(add: (messages: readonly AddressedMessage[]) => Promise<unknown>): Promise<void> {
    const { catalog, organizations } = this.#parts;
    const head = await catalog.head('upload-state');
    if (head === this.#checked) return;
    const all = await organizations.list();
    const settings = new Map(all.flatMap(({ id, messages }) => (messages === undefined ? [] : [[id, messages]])));
    for (let after = settings.size === 0 ? head : (this.#checked ?? 0); after < head; ) {
      const states = await catalog.list<UploadState>('upload-state', after, PAGE);
      if (states.length === 0) break;
      const due = states.flatMap(({ id, body }) => dueOf(parseUploadId(id), body, settings));
      if (due.length > 0) await add(due);
      after = states.at(-1)!.version;
    }
    this.#checked = head;
  }
}

function dueOf(
  upload: NamedUpload,
  state: UploadState,
  settings: ReadonlyMap<string, MessageSettings>,
): readonly AddressedMessage[] {
  const wanted = settings.get(upload.organization);
  const message = wanted && messageOf(upload, state);
  if (message === undefined || (message.event === 'errors' && !wanted!.errors)) return [];
  if (message.at < Math.max(wanted!.since, Date.now() - OLDEST_MS)) return [];
  return channelsOf(wanted!).map((channel) => ({ ...message, channel }));
}

export function channelsOf({ url, mail }: MessageSettings): readonly MessageChannel[] {
  return [...(mail ? ['mail' as const] : []), ...(url === undefined ? [] : ['url' as const])];
}
