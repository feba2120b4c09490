import assert from 'node:assert/strict';
import { Hosts } from '../../../src/client/read/named-hosts.ts';
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

  function open(options: { readonly rate: number; readonly onPause?: (reason: string, ms: number) => void }): void {
    const hosts = new Hosts(source.baseUrl, []);
    fetcher = new PoliteFetcher({ hosts, attempts: 2, idleMs: 5_000, responseMs: 5_000, ...options });
  }
  async function get(): Promise<number> {
    const fetched = await fetcher.get(`${source.baseUrl}/a`, 'identity', AbortSignal.timeout(10_000));
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
});
