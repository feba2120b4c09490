import { once } from 'node:events';
import { type IncomingMessage, request } from 'node:http';
import { setTimeout as wait } from 'node:timers/promises';

export interface ReceivedEvent {
  readonly id: string;
  readonly event: string;
  readonly data: string;
}

/** A client of server-sent events by node:http. */
export class EventStream {
  readonly response: IncomingMessage;
  readonly events: ReceivedEvent[] = [];
  /** What the client sends as `Last-Event-ID` when it connects again. */
  lastId = '';
  comments = 0;
  hasEnded = false;
  #rest = '';

  private constructor(response: IncomingMessage) {
    this.response = response;
    response.setEncoding('utf8');
    response.on('error', () => {});
    response.on('data', (text: string) => this.#take(text));
    response.once('close', () => {
      this.hasEnded = true;
    });
  }

  static async open(url: string, headers: Readonly<Record<string, string>> = {}): Promise<EventStream> {
    const asking = request(url, { headers, agent: false });
    asking.on('error', () => {});
    asking.end();
    const [response] = (await once(asking, 'response')) as [IncomingMessage];
    const stream = new EventStream(response);
    OPEN.add(stream);
    return stream;
  }

  close(): void {
    OPEN.delete(this);
    this.response.destroy();
  }

  #take(text: string): void {
    const blocks = (this.#rest + text).split('\n\n');
    this.#rest = blocks.pop()!;
    for (const block of blocks) {
      if (block.startsWith(':')) this.comments += 1;
      const field = (name: string) =>
        block
          .split('\n')
          .find((line) => line.startsWith(`${name}: `))
          ?.slice(name.length + 2) ?? '';
      if (field('id') !== '') this.lastId = field('id');
      if (field('data') !== '') this.events.push({ id: field('id'), event: field('event'), data: field('data') });
    }
  }
}

const OPEN = new Set<EventStream>();

/** For `afterEach`. */
export async function closeEventStreams(): Promise<void> {
  for (const stream of [...OPEN]) stream.close();
  await wait(0);
}
