import { shortened } from '../../lib/excerpt.ts';

/** Names of parameters that give access, as signed URLs have them: S3, CloudFront, Google, Azure, and platforms. */
const SIGNING =
  /^(?:x-(?:amz|goog)-.*|(?:google|aws)access(?:key)?id|(?:.*[_-])?(?:signature|token|secret|password)|sig|key|api[_-]?key|key-pair-id|policy|jwt|hmac|expires)$/i;
const MOST_CHARACTERS = 2_000;

/** A URL for messages, results and pages: as `publicUrl`, of at most 2,000 characters. */
export const shownUrl = (url: string): string => shortened(publicUrl(url), MOST_CHARACTERS);

/** A URL for manifests and links: without login and fragment, and without the query of a signed URL. */
export function publicUrl(url: string): string {
  const parsed = URL.parse(url);
  if (parsed === null) return url.replace(/[?#].*$/s, '');
  parsed.username = '';
  parsed.password = '';
  parsed.hash = '';
  if ([...parsed.searchParams.keys()].some((name) => SIGNING.test(name))) parsed.search = '';
  return parsed.href;
}
