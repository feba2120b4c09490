import { createHash, hash } from 'node:crypto';
import type { Hop } from '../../fetch/dataset-fetcher.ts';
import type { HashedScratchFile } from '../hashed-scratch-file.ts';
import { storedHead } from './response-head.ts';
import { digestField, newRecordId, type WarcBlock, type WarcRecord } from './warc-record.ts';

/** A file with its requests and responses, until it is written into a WARC. */
export interface CapturedFile {
  /** Of the file in the manifest. */
  readonly number: number;
  readonly path: string;
  /** Redirects first; the last one is that of the file. */
  readonly hops: readonly Hop[];
  /** The head of the last response, as it is stored. */
  readonly head: Buffer;
  /** Of that head and the body: hexadecimal digits. */
  readonly blockSha1: string;
  readonly body: HashedScratchFile;
}

/** Hashes the head and the body of a response as the block of its record. */
export class BlockDigest {
  readonly head: Buffer;
  readonly #hash = createHash('sha1');

  constructor({ responseHead }: Hop) {
    this.head = storedHead(responseHead, undefined);
    this.#hash.update(this.head);
  }

  async *tap(chunks: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array, void, undefined> {
    for await (const chunk of chunks) {
      this.#hash.update(chunk);
      yield chunk;
    }
  }

  digest(): string {
    return this.#hash.digest('hex');
  }
}

/** Fields of the metadata record of a file, by which an attempt after this one finds it. */
export const FILE_NUMBER = 'tidemark-file-number';

/** The records of a file: request and response of each redirect, then its own, and what it is in the dataset. */
export function recordsOf({ number, path, hops, head, blockSha1, body }: CapturedFile): readonly WarcRecord[] {
  const last = hops.at(-1)!;
  const block = {
    head,
    length: head.length + body.length,
    sha1: blockSha1,
    read: () => body.read(0, body.length),
  };
  const response = responseOf(last, block, body.hashes['sha-1']);
  const fields = `${FILE_NUMBER}: ${number}\r\ntidemark-file-path: ${encodeURI(path)}\r\n`;
  return [
    ...hops.slice(0, -1).flatMap(redirectOf),
    response,
    requestOf(last, response.id),
    {
      type: 'metadata',
      id: newRecordId(),
      time: last.time,
      contentType: 'application/warc-fields',
      fields: { 'WARC-Concurrent-To': response.id, 'WARC-Target-URI': last.url },
      block: { bytes: Buffer.from(fields) },
    },
  ];
}

function redirectOf(hop: Hop): readonly WarcRecord[] {
  const payload = hop.body ?? Buffer.alloc(0);
  const bytes = Buffer.concat([storedHead(hop.responseHead, payload.length), payload]);
  const response = responseOf(hop, { bytes }, hash('sha1', payload));
  return [response, requestOf(hop, response.id)];
}

function responseOf({ url, time, address }: Hop, block: WarcBlock, payloadSha1: string): WarcRecord {
  return {
    type: 'response',
    id: newRecordId(),
    time,
    contentType: 'application/http; msgtype=response',
    fields: {
      'WARC-Target-URI': url,
      'WARC-IP-Address': address,
      'WARC-Payload-Digest': digestField(payloadSha1),
    },
    block,
  };
}

function requestOf({ url, time, requestHead }: Hop, response: string): WarcRecord {
  return {
    type: 'request',
    id: newRecordId(),
    time,
    contentType: 'application/http; msgtype=request',
    fields: { 'WARC-Concurrent-To': response, 'WARC-Target-URI': url },
    block: { bytes: Buffer.from(requestHead, 'latin1') },
  };
}
