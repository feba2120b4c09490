import assert from 'node:assert/strict';
import { type FindParts, findDataset } from '../../../src/datasets/find-dataset.ts';
import type { Landing } from '../../../src/datasets/landing/landing.ts';
import type { DatasetPlatform } from '../../../src/datasets/platform.ts';
import { askedAt, failureOf } from '../../support/recorded-replies.ts';

const TOKEN_HOST = 'private.example';

describe('findDataset', () => {
  function find(url: string, { landing: more = {}, platforms = [] }: Given = {}) {
    const { request, landing } = askedAt(url, more);
    const parts: FindParts = {
      limits: { files: 1, totalBytes: 1, web: { files: 1, fileBytes: 1, totalBytes: 1 } },
      platforms,
      tokenHosts: [TOKEN_HOST],
      crawl: async () => ({ landing }),
      clientFor: () => ({ json: assert.fail, text: assert.fail }),
    };
    return findDataset({ request, options: {}, signal: AbortSignal.timeout(10_000) }, parts, {});
  }

  interface Given {
    readonly landing?: Partial<Landing>;
    readonly platforms?: readonly DatasetPlatform[];
  }

  it('says of a page of no platform what it is, and where it leads on', async () => {
    const known = /^no-platform-match: https:\/\/data\.example\/a is of no platform .*text\/html/;
    const plain = await failureOf(find('https://data.example/a?token=secret'));
    assert.match(plain, known);
    assert.match(plain, /: give the landing page of a dataset/);
    const next = { rel: 'refresh', href: 'https://data.example/b?token=secret' };
    const led = await failureOf(find('https://data.example/a', { landing: { signposts: [next] } }));
    assert.match(led, known);
    assert.match(led, /leads on to https:\/\/data\.example\/b, as only browsers follow: request that$/);
  });

  /** Publishes one file. */
  function platformOf(landingUrl: string, platformUrl: string): DatasetPlatform {
    const dataset = { platformName: 'p', platformDomain: 'd', platformId: 'i', landingUrl, archiveorgMetadata: {} };
    const file = { path: 'a.csv', size: 1, hashes: [], platformUrl };
    return { name: 'p', matchRequest: () => true, processRequest: async () => ({ ...dataset, files: [file] }) };
  }

  it('refuses files of a host that gets a token when the page of another host names them', async () => {
    for (const host of ['data.example', `evil${TOKEN_HOST}`, `${TOKEN_HOST}.evil.example`]) {
      const landing = `https://${host}/d`;
      const platforms = [platformOf(landing, `https://${TOKEN_HOST}/secret.csv`)];
      assert.match(
        await failureOf(find(landing, { platforms })),
        /^bad-manifest: .*gets a token.*private\.example itself$/,
      );
    }
    for (const host of [TOKEN_HOST, `www.${TOKEN_HOST}`]) {
      const landing = `https://${host}/d`;
      const { strategy } = await find(landing, { platforms: [platformOf(landing, `https://${TOKEN_HOST}/a.csv`)] });
      assert.equal(strategy, 'web-file');
    }
  });
});
