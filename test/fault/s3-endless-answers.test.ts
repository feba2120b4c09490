import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { pipeline, Readable } from 'node:stream';
import { openRoot } from '../../src/sources/open-contents.ts';
import { collect } from '../support/builders.ts';
import { useKeys, useS3 } from '../support/s3.ts';

const MEGABYTE = 1_048_576;
const CHUNK = Buffer.alloc(MEGABYTE, '<!-- no end -->');
/** Enough to see that the reader does not stop. */
const MOST_SENT = 200;
const LIST = '<?xml version="1.0"?><ListBucketResult>';

describe('An S3 server that goes on and on', () => {
  // Whatever these keys are, this server takes them.
  useKeys(useS3());
  let server: Server;
  /** Megabytes. */
  let sent: number;
  let isEndless: (request: IncomingMessage) => boolean;

  beforeEach(async () => {
    sent = 0;
    server = createServer(answer).listen(0, '127.0.0.1');
    await once(server, 'listening');
  });
  afterEach(async () => {
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  });

  function answer(request: IncomingMessage, response: ServerResponse): void {
    if (!isEndless(request)) {
      response.writeHead(404, { 'content-type': 'application/xml' }).end('<Error><Code>NoSuchKey</Code></Error>');
      return;
    }
    // Without a length.
    response.writeHead(request.url!.includes('refused') ? 403 : 200, { 'content-type': 'application/xml' });
    pipeline(Readable.from(chunks()), response, () => {});
  }

  function* chunks(): Generator<string | Buffer> {
    yield LIST;
    for (; sent < MOST_SENT; sent++) yield CHUNK;
  }

  async function list(bucket: string): Promise<unknown> {
    const { port } = server.address() as AddressInfo;
    const root = `s3://${bucket}?endpoint=http://127.0.0.1:${port}`;
    return collect(openRoot({ root, exclude: [], s3: { timeoutMs: 10_000, pollIntervalMs: 100, attempts: 1 } }).list());
  }

  for (const [what, bucket, endless] of [
    ['a list', 'bucket', 'list-type=2'],
    ['an error', 'refused', 'list-type=2'],
    ['the patterns of a bucket', 'bucket', '.tidemarkignore'],
  ] as const) {
    it(`is read no further than what ${what} may have`, async () => {
      isEndless = ({ url }) => url!.includes(endless);
      await assert.rejects(list(bucket), { code: 'unavailable' });
      assert.ok(sent < 60, `${sent} MB were read`);
    });
  }
});
