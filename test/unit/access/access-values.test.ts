import assert from 'node:assert/strict';
import fc from 'fast-check';
import { clientAddress, shownAddress } from '../../../src/access/client-address.ts';
import { readCredentials } from '../../../src/access/credentials.ts';
import { parseExpiry } from '../../../src/access/expiry.ts';
import { RateLimiter } from '../../../src/access/rate-limiter.ts';
import { parseScope } from '../../../src/access/scope.ts';
import { SenderLimits } from '../../../src/access/sender-limits.ts';
import { digestOf, idOfToken, matchesDigest, mintToken } from '../../../src/access/token.ts';
import { NO_LIMITS } from '../../support/start-app.ts';

const isInvalid = { code: 'invalid' };

describe('A scope', () => {
  it('names a set, all sets, metrics or everything', () => {
    for (const text of ['post:papers', 'read:*', 'post:*', 'read:a.b-c', 'metrics', 'administer']) {
      assert.equal(parseScope(text), text);
    }
  });

  it('is nothing else', () => {
    for (const text of [
      '',
      '*',
      'post',
      'post:',
      'read:A',
      'read:a*',
      'write:a',
      'administer:a',
      ' metrics',
      'post:a\n',
    ]) {
      assert.throws(() => parseScope(text), isInvalid, text);
    }
  });
});

describe('The time at which a token expires', () => {
  const now = Date.parse('2026-11-21T12:00:00Z');
  const HOUR = 3_600_000;

  it('is after a duration, or at a date', () => {
    assert.equal(parseExpiry('90d', now), now + 90 * 24 * HOUR);
    assert.equal(parseExpiry('12h', now), now + 12 * HOUR);
    assert.equal(parseExpiry('5m', now), now + HOUR / 12);
    assert.equal(parseExpiry('2w', now), now + 14 * 24 * HOUR);
    assert.equal(parseExpiry('2027-01-31', now), Date.parse('2027-01-31T00:00:00Z'));
    assert.equal(parseExpiry('2027-01-31T10:00:00+02:00', now), Date.parse('2027-01-31T08:00:00Z'));
  });

  it('is neither past, nor without meaning, nor in another century', () => {
    for (const text of ['', '0d', '2026-11-21', '2027-02-30', '90', '1.5d', 'soon', '2027-01-31T10:00:00', '101y']) {
      assert.throws(() => parseExpiry(text, now), isInvalid, text);
    }
  });
});

describe('A token', () => {
  it('is another one each time, and found by its id', () => {
    const tokens = new Set(Array.from({ length: 1000 }, () => mintToken().token));
    assert.equal(tokens.size, 1000);
    const { id, token } = mintToken();
    assert.equal(idOfToken(token), id);
    assert.ok(matchesDigest(token, digestOf(token)));
    assert.equal(matchesDigest(`${token}x`, digestOf(token)), false);
  });
});

describe('The Authorization header', () => {
  it('is read whatever it holds', () => {
    fc.assert(
      fc.property(
        fc.oneof(
          fc.string(),
          fc.base64String().map((text) => `Basic ${text}`),
        ),
        (text) => {
          assert.ok(['none', 'token', 'unknown'].includes(readCredentials(text).kind));
        },
      ),
    );
    const spaces = ' '.repeat(100_000);
    // Of this thread's own: the machine may have other things to do.
    const begun = process.threadCpuUsage();
    for (const long of [
      `Bearer${spaces}x y`,
      `Bearer x${spaces}y`,
      `Basic ${spaces}:${spaces}`,
      `${spaces}Bearer a b`,
    ]) {
      assert.equal(readCredentials(long).kind, 'unknown');
    }
    assert.ok(process.threadCpuUsage(begun).user < 500_000);
  });
});

describe('The address of a client', () => {
  const of = (address: string, forwarded?: string) =>
    clientAddress(forwarded === undefined ? {} : { 'x-forwarded-for': forwarded }, address);

  it('is that of the connection, unless a proxy that is near reports another', () => {
    assert.equal(of('203.0.113.7'), '203.0.113.7');
    assert.equal(of('203.0.113.7', '198.51.100.1'), '203.0.113.7');
    for (const proxy of ['127.0.0.1', '::1', '::ffff:127.0.0.1', '10.0.0.1', '172.20.0.3', '192.168.1.1', 'fd00::1']) {
      assert.equal(of(proxy, '198.51.100.1, 203.0.113.7'), '203.0.113.7', proxy);
    }
    assert.equal(of('127.0.0.1', ''), '127.0.0.1');
    assert.equal(clientAddress({}, undefined), '');
  });

  it('is shown as that of the connection when a proxy reports a text', () => {
    const shown = (forwarded: string) => shownAddress({ 'x-forwarded-for': forwarded }, '::ffff:127.0.0.1');
    for (const text of ['unknown', '<script>', '=1+1', '']) assert.equal(shown(text), '127.0.0.1', text);
    assert.equal(shown('2001:db8:1:2::1'), '2001:db8:1:2::1', 'all of it');
  });

  it('is the same with and without a port, and however a proxy writes it', () => {
    for (const written of ['203.0.113.7:4711', '203.0.113.7:4712', '::ffff:203.0.113.7', '[::FFFF:203.0.113.7]:4711']) {
      assert.equal(of('127.0.0.1', written), '203.0.113.7', written);
    }
    for (const written of ['2001:db8:1:2::1', '[2001:db8:1:2::1]', '[2001:db8:1:2::1]:4711']) {
      assert.equal(of('127.0.0.1', written), '2001:db8:1:2', written);
    }
  });

  it('is one for all that a client of IPv6 has', () => {
    assert.equal(of('2001:db8:1:2:3:4:5:6'), '2001:db8:1:2');
    assert.equal(of('2001:db8:1:2::1'), of('2001:db8:1:2:ffff::'));
    assert.equal(of('2001:db8::1'), of('2001:DB8:0:0:9::'));
    assert.notEqual(of('2001:db8:1:3::1'), of('2001:db8:1:2::1'));
  });
});

describe('A limit of a minute', () => {
  let now: number;
  const clock = () => now;

  beforeEach(() => {
    now = 0;
  });

  it('may be used at once, and grows back all the time', () => {
    const limiter = new RateLimiter({ now: clock });
    const take = () => limiter.take('a', 1, 3);
    assert.deepEqual([take(), take(), take()], [0, 0, 0]);
    assert.equal(take(), 20_000);
    now = 19_000;
    assert.equal(take(), 1000);
    now = 20_000;
    assert.equal(take(), 0);
    assert.equal(take(), 20_000);
    now = 10_000_000;
    assert.deepEqual([take(), take(), take()], [0, 0, 0]);
    assert.equal(take(), 20_000);
  });

  it('lets no more through in the long run than it says', () => {
    const limiter = new RateLimiter({ now: clock });
    let taken = 0;
    for (; now < 600_000; now += 70) if (limiter.take('a', 1, 60) === 0) taken += 1;
    assert.ok(taken >= 655 && taken <= 660, `${taken}`);
  });

  it('takes what is larger than what is left as a debt', () => {
    const limiter = new RateLimiter({ now: clock });
    assert.equal(limiter.take('a', 150, 100), 0);
    assert.equal(limiter.take('a', 1, 100), 30_600);
    now = 30_600;
    assert.equal(limiter.take('a', 1, 100), 0);
  });

  it('remembers so many keys and no more, those that were used last', () => {
    const limiter = new RateLimiter({ mostKeys: 2, now: clock });
    const take = (key: string) => limiter.take(key, 1, 1) === 0;
    assert.ok(take('a') && take('b'));
    assert.equal(take('a'), false);
    assert.ok(take('c'));
    assert.equal(take('a'), false);
    assert.ok(take('b'));
  });

  it('is that of the token, else that of the settings; administrators have none', () => {
    const limits = new SenderLimits(
      { ...NO_LIMITS, tokenRequests: 1, tokenBody: 100, anonymousRequests: 2 },
      { now: clock },
    );
    const request = { headers: {}, address: '203.0.113.7' };
    const bearer = (id: string, own: object) => ({ kind: 'token', id, name: id, scopes: [], limits: own }) as const;
    const taken = (sender: Parameters<typeof limits.takeRequest>[0]) =>
      Array.from({ length: 4 }, () => limits.takeRequest(sender, request)).filter((wait) => wait === 0).length;
    assert.equal(taken(bearer('a', {})), 1);
    assert.equal(taken(bearer('b', {})), 1);
    assert.equal(taken(bearer('c', { requestsPerMinute: 3 })), 3);
    assert.equal(taken(bearer('d', { requestsPerMinute: null })), 4);
    assert.equal(taken({ kind: 'anonymous' }), 2);
    assert.equal(taken({ kind: 'administrator' }), 4);
    assert.equal(limits.takeRequest({ kind: 'anonymous' }, { ...request, address: '203.0.113.8' }), 0);

    assert.equal(limits.takeBody(bearer('a', {}), 120), 0);
    assert.ok(limits.takeBody(bearer('a', {}), 0) > 0);
    assert.equal(limits.takeBody(bearer('b', { bodyBytesPerMinute: null }), 1e9), 0);
    assert.equal(limits.takeBody(bearer('b', { bodyBytesPerMinute: null }), 1e9), 0);
    assert.equal(limits.takeBody({ kind: 'administrator' }, 1e9), 0);
  });
});
