import assert from 'node:assert/strict';
import type { IncomingHttpHeaders } from 'node:http';
import { breakingOff } from '../support/breaking-off.ts';
import { copyIn, MirroredSource } from '../support/mirrored-source.ts';
import { runTidemark } from '../support/run-tidemark.ts';
import { useTempFolder } from '../support/temp-folder.ts';

const AT = '2026-01-01T00:00:00Z';
const TEXT = 'some text of a resource. '.repeat(120_000);
const BYTES = Buffer.from(TEXT);

describe('a mirror whose connections break', () => {
  const place = useTempFolder();
  let source: MirroredSource;

  beforeEach(async () => {
    source = await MirroredSource.start();
    source.put({ 'a.txt': TEXT, 'b.txt': 'two' }).list(AT);
  });

  afterEach(() => source.close());

  const mirror = () => runTidemark(['mirror', source.url, 'copy'], { cwd: place.path });
  const copy = () => copyIn(place.at('copy'));

  it('goes on where a resource broke off, with Range and If-Range', async () => {
    const requests: IncomingHttpHeaders[] = [];
    source.served.answers.set('/files/a.txt', breakingOff(BYTES, { after: 1_300_000, requests }));
    const { stdout, stderr, exitCode } = await mirror();
    assert.equal(exitCode, 0, stdout + stderr);
    assert.deepEqual(copy(), { 'a.txt': TEXT, 'b.txt': 'two' });
    assert.equal(requests[0]!.range, undefined);
    assert.ok(requests.length > 2);
    for (const { range, 'if-range': validator } of requests.slice(1)) {
      assert.match(range!, /^bytes=[1-9]\d*-$/);
      assert.match(String(validator), /^"[0-9a-f]{64}"$/);
    }
  });

  it('goes on where the rest comes in several parts', async () => {
    // Nothing in the list shows that bytes are missing.
    source.list(AT, () => '');
    source.served.answers.set('/files/a.txt', breakingOff(BYTES, { after: 1_300_000, part: 700_000 }));
    assert.equal((await mirror()).exitCode, 0);
    assert.deepEqual(copy(), { 'a.txt': TEXT, 'b.txt': 'two' });
  });

  it('goes on where the rest does not say how long the whole is', async () => {
    const etag = '"whole"';
    source
      .list(AT, () => '')
      .served.answers.set('/files/a.txt', (request, response) => {
        const begin = Number(/\d+/.exec(request.headers.range ?? '')?.[0] ?? 0);
        const range = `bytes ${begin}-${BYTES.length - 1}/*`;
        if (begin > 0) response.writeHead(206, { etag, 'content-range': range }).end(BYTES.subarray(begin));
        else
          response.writeHead(200, { etag }).write(BYTES.subarray(0, 5), () => setImmediate(() => response.destroy()));
      });
    assert.equal((await mirror()).exitCode, 0);
    assert.deepEqual(copy(), { 'a.txt': TEXT, 'b.txt': 'two' });
  });

  it('takes no rest of other bytes: it begins again where the resource has changed meanwhile, or has no ETag', async () => {
    for (const hasEtag of [true, false]) {
      const { answers } = source.served;
      const whole = source.put({ 'a.txt': TEXT }).served.answers.get('/files/a.txt')!;
      // Other bytes of the same length, of which a part is sent; then those of the list.
      const others = breakingOff(Buffer.from(TEXT.toUpperCase()), { after: 1_300_000, hasEtag });
      answers.set('/files/a.txt', (request, response) => {
        answers.set('/files/a.txt', whole);
        others(request, response);
      });
      const first = await mirror();
      assert.equal(first.exitCode, 1);
      assert.match(first.stdout, /a\.txt: .*connection/);
      assert.equal(copy()['a.txt'], undefined);
      assert.equal((await mirror()).exitCode, 0);
      assert.equal(copy()['a.txt'], TEXT);
      place.remove('copy');
    }
  });

  it('takes no rest of another version from a server that ignores If-Range', async () => {
    source
      .list(AT, () => '')
      .served.answers.set('/files/a.txt', (request, response) => {
        const begin = Number(/\d+/.exec(request.headers.range ?? '')?.[0] ?? 0);
        const range = `bytes ${begin}-${BYTES.length - 1}/${BYTES.length}`;
        const rest = Buffer.from(TEXT.toUpperCase()).subarray(begin);
        if (begin > 0) response.writeHead(206, { etag: '"two"', 'content-range': range }).end(rest);
        else {
          response.writeHead(200, { etag: '"one"', 'content-length': BYTES.length });
          response.write(BYTES.subarray(0, 5), () => setImmediate(() => response.destroy()));
        }
      });
    assert.equal((await mirror()).exitCode, 1);
    assert.deepEqual(copy(), { 'b.txt': 'two' });
  });

  it('gives up where nearly nothing comes each time', async () => {
    const requests: IncomingHttpHeaders[] = [];
    source.served.answers.set('/files/a.txt', breakingOff(BYTES, { after: 10, requests }));
    const { exitCode } = await mirror();
    assert.equal(exitCode, 1);
    assert.deepEqual(copy(), { 'b.txt': 'two' });
    assert.ok(requests.length <= 6, String(requests.length));
  });
});
