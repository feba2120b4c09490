import { shownUrl } from '../fetch/shown-url.ts';
import { IngestFailure } from '../ingest-failure.ts';
import type { Landing } from '../landing/landing.ts';
import type { DatasetPlatform } from '../platform.ts';
import { checkedManifest } from './checked-manifest.ts';
import { persistentUri } from './persistent-uri.ts';
import { fileNameOf } from './signposted/file-name.ts';
import { platformIdOf } from './signposted/identity.ts';

/** A URL that leads to a file, on no platform that is known: a dataset of one file (d2, d20, D53). */
export const direct: DatasetPlatform = {
  name: 'direct',

  matchRequest(_request, { isHtml }) {
    return !isHtml;
  },

  async processRequest({ request, landing }) {
    requireNoPart(landing);
    const address = addressOf(landing);
    const mimetype = landing.mimetype === '' ? undefined : landing.mimetype;
    // Some servers send a path.
    const named = landing.fileName?.split(/[\\/]/).at(-1);
    const path = named || fileNameOf({ url: address, mimetype });
    const cited = landing.signposts.find(({ rel }) => rel === 'cite-as')?.href;
    return {
      platformName: direct.name,
      platformDomain: new URL(address).host,
      platformId: platformIdOf(undefined, address),
      persistentId: cited && (persistentUri(cited) ?? cited),
      landingUrl: address,
      // Each attempt begins at the requested URL: what it redirects to may have ended by then (d17).
      files: checkedManifest([
        { path, size: landing.length, hashes: [], mimetype, platformUrl: request.base_url, id: '1' },
      ]),
      archiveorgMetadata: { title: path },
    };
  },
};

/** A file says by `collection` of which dataset it is (FAIR Signposting): that is what has to be requested (d20). */
function requireNoPart({ url, signposts }: Landing): void {
  const whole = signposts.find(({ rel }) => rel === 'collection')?.href;
  if (whole === undefined) return;
  throw new IngestFailure('platform-scope', `${shownUrl(url)} is a file of the dataset ${whole}: request that one`);
}

/** The last URL on the way that is not signed. */
function addressOf({ hops, url }: Landing): string {
  return [...hops, url].findLast((hop) => !isSigned(hop)) ?? url;
}

/** A signed URL of a storage is no address: it ends soon. */
function isSigned(url: string): boolean {
  return new URL(url).search !== '' && !shownUrl(url).includes('?');
}
