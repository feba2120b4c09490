// The names of the IANA registry "Link Relation Types". They are compared case-insensitively (RFC 8288, 2.1.1).
const REGISTERED: ReadonlySet<string> = new Set(
  `about acl alternate amphtml api-catalog appendix apple-touch-icon apple-touch-startup-image archives author blocked-by
  bookmark c2pa-manifest canonical chapter cite-as collection compression-dictionary contents convertedfrom copyright
  create-form current deprecation describedby describes disclosure dns-prefetch duplicate edit edit-form edit-media
  enclosure external first geofeed glossary help hosts hub ice-server icon index intervalafter intervalbefore
  intervalcontains intervaldisjoint intervalduring intervalequals intervalfinishedby intervalfinishes intervalin
  intervalmeets intervalmetby intervaloverlappedby intervaloverlaps intervalstartedby intervalstarts item last
  latest-version license linkset lrdd manifest mask-icon me media-feed memento micropub modulepreload monitor
  monitor-group next next-archive nofollow noopener noreferrer opener openid2.local_id openid2.provider original p3pv1
  payment pingback preconnect predecessor-version prefetch preload prerender prev preview previous prev-archive
  privacy-policy profile publication rdap-active rdap-bottom rdap-down rdap-top rdap-up related replies restconf
  ruleinput search section self service service-desc service-doc service-meta sip-trunking-capability sponsored start
  status stylesheet subsection successor-version sunset tag terms-of-service timegate timemap type ugc up
  version-history via webmention working-copy working-copy-of`.split(/\s+/),
);

// RFC 3986, 4.3: a scheme and a rest, without characters that RFC 3986 forbids in every URI.
const ABSOLUTE_URI = /^[A-Za-z][A-Za-z0-9+.-]*:[\x21\x23-\x3b\x3d\x3f-\x5b\x5d\x5f\x61-\x7a\x7e]+$/;
const MAX_URI_LENGTH = 2048;

/**
 * The relations that link documents of ResourceSync (ResourceSync 1.1, 6.2 and 11.1): a client may follow them wherever
 * they are.
 */
export const NAVIGATION_RELATIONS: ReadonlySet<string> = new Set(['up', 'index', 'contents', 'resourcesync']);

/** A link to a patch that turns the previous state of a resource into the current one (ResourceSync 1.1, 14.4). */
export const PATCH_RELATION = 'http://www.openarchives.org/rs/terms/patch';

/** The priority of a link without `pri` (ResourceSync 1.1, 7). */
export const LEAST_PRIORITY = 999_999;

/**
 * The relations that have one spelling in this program. Relations that are URIs are compared case-insensitively, too
 * (RFC 8288, 2.1.2), so that every spelling of a patch is one for its rules.
 */
const KNOWN: ReadonlySet<string> = new Set([...REGISTERED, PATCH_RELATION]);

/** Spellings of the OpenMinTeD ResourceSync protocol. No registered name contains a space. */
const SPELLINGS: ReadonlyMap<string, string> = new Map([['described by', 'describedby']]);

/**
 * Parses a relation: a name of the IANA registry or the relation of patches in lower case, or another absolute URI,
 * unchanged (ResourceSync 1.1, 7; RFC 8288, 2.1). Undefined when it is neither.
 */
export function parseRelation(text: string): string | undefined {
  if (KNOWN.has(text)) return text;
  const lower = text.toLowerCase();
  const name = SPELLINGS.get(lower) ?? lower;
  if (KNOWN.has(name)) return name;
  return text.length <= MAX_URI_LENGTH && ABSOLUTE_URI.test(text) ? text : undefined;
}
