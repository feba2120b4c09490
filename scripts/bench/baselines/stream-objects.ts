import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Readable } from 'node:stream';
import { GetObjectCommand } from '@aws-sdk/client-s3';
import { createClient } from '../../../src/lib/s3/s3-client.ts';
import { parseS3Location } from '../../../src/lib/s3/s3-location.ts';

/**
 * A server that streams the object that a path names, and does nothing else: node stream-objects.ts LOCATION, with keys
 * in the environment. Its client is that of Tidemark. Prints its URL.
 */
const location = parseS3Location(process.argv[2]!);
const client = createClient(location, { timeoutMs: 30_000 });
const server = createServer(async ({ url = '' }, response) => {
  try {
    const answer = await client.send(new GetObjectCommand({ Bucket: location.bucket, Key: url.slice(1) }));
    response.writeHead(200, { 'Content-Length': answer.ContentLength, ETag: answer.ETag });
    (answer.Body as Readable).pipe(response);
  } catch (error) {
    response.writeHead(500).end(String(error));
  }
});
server.listen(0, '127.0.0.1', () => console.log(`http://127.0.0.1:${(server.address() as AddressInfo).port}`));
