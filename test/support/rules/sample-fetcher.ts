import { type Fetched, type Fetcher, FetchFailure } from '../../../src/client/read/fetcher.ts';
import type { Answer } from './source.ts';

const NOT_FOUND: Answer = { status: 404, headers: {}, body: Buffer.alloc(0) };

/** Answers out of a sample, as its server would. */
/** What a server has, by URI. */
export interface Answering {
  readonly answers: ReadonlyMap<string, Answer>;
  /** Of documents, as they are now. */
  readonly texts: ReadonlyMap<string, string>;
  /** The URIs of documents that were there at first. */
  readonly documents: ReadonlySet<string>;
}

export class SampleFetcher implements Fetcher {
  readonly #sample: Answering;

  constructor(sample: Answering) {
    this.#sample = sample;
  }

  async get(uri: string, encoding: 'gzip' | 'identity'): Promise<Fetched> {
    const { answers, texts, documents } = this.#sample;
    const text = texts.get(uri);
    const answer = text === undefined && documents.has(uri) ? NOT_FOUND : (answers.get(uri) ?? NOT_FOUND);
    if (new URL(uri).hostname !== 'example.org') throw new FetchFailure('there is no such host');
    const { body, unpacked = body } = answer;
    const wasEdited = text !== undefined && body.toString() !== text;
    const bytes = wasEdited ? Buffer.from(text) : encoding === 'gzip' ? unpacked : body;
    return {
      ...{ uri, headers: answer.headers, status: wasEdited ? 200 : answer.status },
      body: (async function* () {
        yield bytes;
      })(),
      discard: () => {},
    };
  }

  close(): void {}
}
