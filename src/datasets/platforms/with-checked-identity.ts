import { excerpt } from '../../lib/excerpt.ts';
import { publicUrl } from '../fetch/shown-url.ts';
import { IngestFailure } from '../ingest-failure.ts';
import type { DatasetPlatform, PlatformDataset } from '../platform.ts';
import { badReply } from './parse-reply.ts';

/** As of a base_url (d19). */
const MOST_CHARACTERS = 2_000;

/**
 * A platform that refuses a dataset whose identity is no short text: URLs of resources, rows and names of items are
 * made of it (d11, d19). The query of a page's URL that gives access is in no result and no message.
 */
export function withCheckedIdentity(platform: DatasetPlatform): DatasetPlatform {
  return {
    name: platform.name,
    matchRequest: (...asked) => platform.matchRequest(...asked),
    async processRequest(asked, client) {
      try {
        const dataset = await platform.processRequest(asked, client);
        requireIdentity(dataset);
        const { landingUrl, webBaseUrl } = dataset;
        return { ...dataset, landingUrl: publicUrl(landingUrl), webBaseUrl: webBaseUrl && publicUrl(webBaseUrl) };
      } catch (error) {
        throw withoutSecrets(error, [asked.request.base_url, asked.landing.url]);
      }
    },
  };
}

function withoutSecrets(error: unknown, urls: readonly string[]): unknown {
  if (!(error instanceof IngestFailure)) return error;
  const message = urls.reduce((text, url) => text.replaceAll(url, () => publicUrl(url)), error.message);
  return message === error.message ? error : new IngestFailure(error.status, message, { cause: error.cause });
}

/** @throws IngestFailure `bad-platform-reply` */
function requireIdentity({ platformId, version, persistentId, landingUrl }: PlatformDataset): void {
  for (const [name, value] of Object.entries({ id: platformId, version, 'persistent identifier': persistentId })) {
    if (value === undefined || isIdentifier(value)) continue;
    throw badReply(landingUrl, `the ${name} of the dataset is ${excerpt(value)}, which is no identifier`);
  }
}

function isIdentifier(text: string): boolean {
  const isShort = text.trim() !== '' && text.length <= MOST_CHARACTERS;
  return isShort && text.isWellFormed() && !/[\u0000-\u001f\u007f]/.test(text);
}
