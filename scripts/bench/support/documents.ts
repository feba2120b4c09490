import { type Answer, type HttpClient, textOf } from './http-client.ts';

/** A document as a client keeps it, to be asked for again only when it is another one. */
export interface Held {
  readonly etag: string;
  readonly text: string;
}

/** Fetches documents as a client that comes again and again does: as gzip, with the ETag of what it holds. */
export class Reader {
  readonly #client: HttpClient;
  readonly #held = new Map<string, Held>();

  constructor(client: HttpClient) {
    this.#client = client;
  }

  /** The text of a document now. */
  async read(path: string): Promise<string> {
    const held = this.#held.get(path);
    const answer: Answer = await this.#client.get(path, {
      'Accept-Encoding': 'gzip',
      ...(held && { 'If-None-Match': held.etag }),
    });
    if (answer.status === 304) return held!.text;
    const text = textOf(answer);
    this.#held.set(path, { etag: answer.headers.etag!, text });
    return text;
  }

  /** The newest changes: the change list, or the open window when the list is an index. */
  async readOpenChanges(set: string): Promise<string> {
    const text = await this.read(`/sets/${set}/changelist.xml`);
    const windows = partsOf(text);
    return windows.length === 0 ? text : this.read(windows.at(-1)!.path);
  }
}

export interface Part {
  readonly path: string;
  /** Its markup, which has its `at`. */
  readonly markup: string;
}

/** The parts that an index names; none for a list. */
export function partsOf(text: string): readonly Part[] {
  return [...text.matchAll(/<sitemap>(.*?)<\/sitemap>/gs)].map(([markup]) => {
    const [, location = ''] = /<loc>(.*?)<\/loc>/.exec(markup) ?? [];
    return { path: new URL(location).pathname, markup };
  });
}
