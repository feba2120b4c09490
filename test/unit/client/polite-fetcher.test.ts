import assert from 'node:assert/strict';
import { NamedHosts } from '../../../src/client/read/named-hosts.ts';
import { PoliteFetcher } from '../../../src/client/read/polite-fetcher.ts';
import { ServedSource } from '../../support/served-source.ts';

const HOUR_MS = 60 * 60_000;

describe('PoliteFetcher', () => {
  const now = Date.now;
  const elapsed = performance.now;
  let source: ServedSource;
  let fetcher: PoliteFetcher;
  beforeEach(async () => {
    source = await ServedSource.start();
    source.answers.set('/a', 'a');
  });
  afterEach(async () => {
    Date.now = now;
    performance.now = elapsed;
    fetcher.close();
    await source.close();
  });

  type Options = ConstructorParameters<typeof PoliteFetcher>[0];

  function open(options: Pick<Options, 'rate'> & Partial<Options>): void {
    const hosts = new NamedHosts(source.baseUrl, []);
    fetcher = new PoliteFetcher({ hosts, attempts: 2, idleMs: 5_000, responseMs: 5_000, ...options });
  }
  async function get(uri = `${source.baseUrl}/a`): Promise<number> {
    const fetched = await fetcher.get(uri, 'identity', AbortSignal.timeout(10_000));
    fetched.discard();
    return fetched.status;
  }
  const setBack = () => {
    Date.now = () => now() - HOUR_MS;
  };

  it('sends the next request in time when the clock is set back during a pause', async () => {
    let requests = 0;
    source.answers.set('/a', (_, response) => response.writeHead(++requests === 1 ? 503 : 200).end());
    open({ rate: Infinity, onPause: () => setTimeout(setBack, 50) });
    assert.equal(await get(), 200);
  });

  it('waits ten minutes at most, and sends nothing for a longer Retry-After, but an hour at most', async () => {
    const answering = (seconds: number, status = 503) =>
      source.answers.set('/a', (_, response) => response.writeHead(status, { 'retry-after': String(seconds) }).end());
    const pausing = new AbortController();
    const pauses: number[] = [];
    const onPause = (_: string, ms: number) => {
      pauses.push(ms);
      pausing.abort(new Error('pauses'));
    };
    open({ rate: Infinity, onPause });
    const later = (minutes: number) => {
      performance.now = () => elapsed.call(performance) + minutes * 60_000;
    };
    for (const [status, seconds, refusedMinutes] of [
      [503, 601, 10],
      [429, 86_400, 59],
    ] as const) {
      performance.now = elapsed;
      answering(seconds, status);
      assert.equal(await get(), status);
      source.answers.set('/a', 'a');
      later(refusedMinutes);
      await assert.rejects(get(), /the server asks for no request before/);
      later(refusedMinutes + 1.1);
      assert.equal(await get(), 200);
    }
    answering(600);
    await assert.rejects(fetcher.get(`${source.baseUrl}/a`, 'identity', pausing.signal), /pauses/);
    assert.deepEqual(pauses, [600_000]);
  });

  it('keeps to its rate when the clock is set back', async () => {
    open({ rate: 20 });
    assert.equal(await get(), 200);
    setBack();
    const begun = performance.now();
    assert.equal(await get(), 200);
    assert.equal(await get(), 200);
    assert.ok(performance.now() - begun > 45);
  });

  it('limits the rate of all hosts together, or of each one', async () => {
    const other = `${source.baseUrl.replace('127.0.0.1', 'localhost')}/a`;
    open({ rate: 0.001 });
    assert.equal(await get(), 200);
    const waiting = fetcher.get(other, 'identity', AbortSignal.timeout(50));
    await assert.rejects(waiting, { name: 'TimeoutError' });
    fetcher.close();

    open({ rate: 0.001, hasRatePerHost: true });
    assert.equal(await get(), 200);
    assert.equal(await get(other), 200);
  });

  it('fails when the server asks for a longer pause than the caller permits', async () => {
    source.answers.set('/a', (_, response) => response.writeHead(503, { 'retry-after': '2' }).end());
    open({ rate: Infinity, longestPauseMs: 1_000 });
    assert.equal(await get(), 503);
    assert.deepEqual(source.requests, ['/a']);
    await assert.rejects(get(), /the server asks for no request before/);
  });

  describe('with a redirect to a host that the user has not named', () => {
    let other: ServedSource;
    beforeEach(async () => {
      other = await ServedSource.start();
      other.answers.set('/b', 'b');
      const location = `${other.baseUrl.replace('127.0.0.1', 'localhost')}/b`;
      source.answers.set('/a', (_, response) => response.writeHead(302, { location }).end());
    });
    afterEach(() => other.close());

    it('refuses to follow it', async () => {
      open({ rate: Infinity });
      await assert.rejects(get(), /it was redirected to the host localhost:\d+: to follow it there, use --allow-host/);
    });

    it('follows it when it may, but not into a private network', async () => {
      open({ rate: Infinity, followsToOtherHosts: true });
      await assert.rejects(get(), /private network.*: to read it all the same, use --allow-host/);
      assert.deepEqual(other.requests, []);
    });
  });
});
