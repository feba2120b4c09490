import assert from 'node:assert/strict';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { gzipSync } from 'node:zlib';
import { EXAMPLE_BASE_URL } from '../../../scripts/make-examples.ts';
import { readSource } from '../../support/read-source.ts';
import { brokenRules, checkSource, linesOf } from '../../support/rules/check-source.ts';
import { Sample } from '../../support/rules/sample.ts';

describe('reading a source', () => {
  let server: Server;
  let baseUrl: string;
  let sample: Sample;

  beforeEach(async () => {
    sample = new Sample();
    // What the sample would answer, with its address in place of the example's.
    server = createServer((request, response) => {
      const answer = sample.answers.get(EXAMPLE_BASE_URL + request.url);
      if (answer === undefined) return void response.writeHead(404).end();
      const body = Buffer.from(answer.body.toString().replaceAll(EXAMPLE_BASE_URL, baseUrl));
      const packed = request.headers['accept-encoding'] === 'gzip';
      const link = answer.headers.link?.replaceAll(EXAMPLE_BASE_URL, baseUrl);
      const headers = { ...answer.headers, ...(link && { link }), ...(packed && { 'content-encoding': 'gzip' }) };
      response.writeHead(answer.status, headers).end(packed ? gzipSync(body) : body);
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    baseUrl = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  });

  afterEach(() => new Promise<unknown>((resolve) => server.close(resolve).closeAllConnections()));

  it('reads every document and every live resource', async () => {
    const { documents, answers } = await readSource(baseUrl);
    assert.equal(documents.size, sample.texts.size);
    const expected = [...sample.answers.keys()].map((uri) => uri.replace(EXAMPLE_BASE_URL, baseUrl));
    assert.deepEqual([...answers.keys()].sort(), expected.sort());
  });

  it('finds nothing wrong with a source that is right', async () => {
    assert.deepEqual(linesOf(await checkSource(baseUrl, { now: sample.readAt })), []);
  });

  it('finds a resource that is not what its list says', async () => {
    const [uri, answer] = [...sample.answers].find(([, { headers }]) => headers['content-type'] === 'text/plain')!;
    sample.answers.set(uri, { ...answer, body: Buffer.from('something else') });
    assert.deepEqual(brokenRules(await checkSource(baseUrl, { now: sample.readAt })), [12, 14]);
  });
});
