import assert from 'node:assert/strict';
import { type FindParts, findDataset } from '../../../src/datasets/find-dataset.ts';
import type { Landing } from '../../../src/datasets/landing/landing.ts';
import { askedAt, failureOf } from '../../support/recorded-replies.ts';

describe('findDataset', () => {
  function find(url: string, more: Partial<Landing> = {}) {
    const { request, landing } = askedAt(url, more);
    const parts: FindParts = {
      limits: { files: 1, totalBytes: 1, web: { files: 1, fileBytes: 1, totalBytes: 1 } },
      platforms: [],
      crawl: async () => ({ landing }),
      clientFor: () => assert.fail('no platform is asked'),
    };
    return failureOf(findDataset({ request, options: {}, signal: AbortSignal.timeout(10_000) }, parts, {}));
  }

  it('says of a page of no platform what it is, and where it leads on', async () => {
    const known = /^no-platform-match: https:\/\/data\.example\/a is of no platform .*text\/html/;
    const plain = await find('https://data.example/a?token=secret');
    assert.match(plain, known);
    assert.match(plain, /: give the landing page of a dataset/);
    const next = { rel: 'refresh', href: 'https://data.example/b?token=secret', from: 'html' } as const;
    const led = await find('https://data.example/a', { signposts: [next] });
    assert.match(led, known);
    assert.match(led, /leads on to https:\/\/data\.example\/b, as only browsers follow: request that$/);
  });
});
