import { shortened } from '../../lib/excerpt.ts';

/** Names of parameters that give access, as signed URLs have them: S3, CloudFront, Google, Azure, and platforms. */
const SIGNING =
  /^(?:x-(?:amz|goog)-.*|(?:google|aws)access(?:key)?id|(?:.*[_-])?(?:signature|token|secret|password)|sig|key|api[_-]?key|key-pair-id|policy|jwt|hmac|expires)$/i;
const MOST_CHARACTERS = 2_000;

/** A URL for results, messages and pages: without login and fragment, and without the query of a signed URL. */
export function shownUrl(url: string): string {
  const parsed = URL.parse(url);
  if (parsed === null) return shortened(url.replace(/[?#].*$/s, ''), MOST_CHARACTERS);
  parsed.username = '';
  parsed.password = '';
  parsed.hash = '';
  if ([...parsed.searchParams.keys()].some((name) => SIGNING.test(name))) parsed.search = '';
  return shortened(parsed.href, MOST_CHARACTERS);
}
