import { TidemarkError } from './errors.ts';

/**
 * Identifies a resource in its set: `/` and its percent-encoded path below the set's `url_prefix`, or its whole URI if
 * it is elsewhere. Always printable ASCII, so that comparing keys with `<` compares their UTF-8 bytes, as every store
 * does.
 */
export type ResourceKey = string;

/** Keys from `from` (inclusive) to `to` (exclusive); an absent one is not a bound. */
export interface KeyRange {
  readonly from?: ResourceKey | undefined;
  readonly to?: ResourceKey | undefined;
}

export const LOCATION_TYPES = ['url', 'abs_path', 'rel_path'] as const;
export type LocationType = (typeof LOCATION_TYPES)[number];

/** The location of a resource, as the sender of an event writes it. */
export interface Location {
  readonly value: string;
  readonly type: LocationType;
}

/** The base against which locations are resolved. */
interface LocationBase {
  readonly urlPrefix: string;
  readonly resourceRootDir?: string;
}

/** sitemap.xsd: the length of `loc` in characters. */
export const URI_LENGTH = { least: 12, most: 2048 } as const;

// RFC 3986: the characters of a path segment that need no encoding (pchar), and the slash between segments.
const PLAIN_PATH = /^[A-Za-z0-9\-._~!$&'()*+,;=:@/]*$/;
const PLAIN_URI = /^[A-Za-z0-9\-._~!$&'()*+,;=:@/?]*$/;
// The parser has already encoded characters that are not ASCII.
const NOT_IN_URI = /[ "#<>[\\\]^`{|}]|%(?![0-9A-Fa-f]{2})/g;
// What no URI contains, and no encoding is certain of: a `%` may be meant as itself, a `\` as a slash.
const NEVER_IN_URI = /^ | $|\\|%(?![0-9A-Fa-f]{2})/;
// What no URI contains unencoded (RFC 3986, 2), apart from characters that are not ASCII.
const UNENCODED = /[ "<>^`{|}]/;
const IS_WEB = /^https?:/;
const NOT_IN_XML = /[\u0000-\u001f\u007f-\u009f\ufffe\uffff]/;

/** The key of a file, from its path below the root with `/` between names. Distinct paths have distinct keys. */
export function keyOfPath(path: string): ResourceKey {
  return `/${PLAIN_PATH.test(path) ? path : path.split('/').map(encodeSegment).join('/')}`;
}

/** The path below the root of a key; undefined when no file can have it. */
export function pathOfKey(key: ResourceKey): string | undefined {
  if (!key.startsWith('/') || key.length === 1 || key.includes('?')) return undefined;
  if (!key.includes('%')) return key.slice(1);
  const names = key.slice(1).split('/').map(decodeSegment);
  if (names.some((name) => name === undefined || name.includes('/') || name.includes('\0'))) return undefined;
  return names.join('/');
}

/** The key of a path of names, which may contain slashes. Distinct paths have distinct keys. */
export function keyOfNames(names: readonly string[]): ResourceKey {
  return `/${names.map(encodeSegment).join('/')}`;
}

/** The names of the path of a key; undefined for a URI elsewhere, and for a path with a query. */
export function namesOfKey(key: ResourceKey): readonly string[] | undefined {
  if (!key.startsWith('/') || key.includes('?')) return undefined;
  const names = key.slice(1).split('/').map(decodeSegment);
  return names.includes(undefined) ? undefined : (names as string[]);
}

/** The key of a path in an HTTP request, without a leading slash; undefined when its escapes are not UTF-8. */
export function keyOfRequestPath(path: string): ResourceKey | undefined {
  return canonicalPath(path);
}

/** The URI of a resource. It is computed when a document is rendered, so that a set can move. */
export function uriOf(urlPrefix: string, key: ResourceKey): string {
  return key.startsWith('/') ? urlPrefix + key.slice(1) : key;
}

/**
 * The key of a resource's URI in a set with this prefix: one URI has one key, however its path is percent-encoded.
 * Below the prefix, the key is the path, otherwise the URI itself. Undefined when the URI is below the prefix, and has
 * percent-encoded bytes that are not UTF-8.
 */
export function keyOfUri(urlPrefix: string, uri: string): ResourceKey | undefined {
  const below = restBelow(urlPrefix, uri);
  if (below === undefined) return uri;
  const [, path = '', rest = ''] = /^([^?#]*)(.*)$/s.exec(below) ?? [];
  const key = canonicalPath(path);
  return key === undefined ? undefined : key + rest;
}

/** The right key of a resource in a set with this prefix: the current one, unless it is a URI below the prefix. */
export function rightKey(urlPrefix: string, key: ResourceKey): ResourceKey {
  return key.startsWith('/') ? key : (keyOfUri(urlPrefix, key) ?? key);
}

/**
 * The rest of a URI after the prefix, even if they are percent-encoded differently; undefined if the URI does not begin
 * with it.
 */
function restBelow(urlPrefix: string, uri: string): string | undefined {
  if (uri.startsWith(urlPrefix)) return uri.slice(urlPrefix.length);
  if (!uri.includes('%') && !urlPrefix.includes('%')) return undefined;
  const prefix = canonicalUri(urlPrefix);
  const canonical = canonicalUri(uri);
  return canonical.startsWith(prefix) ? canonical.slice(prefix.length) : undefined;
}

function canonicalUri(uri: string): string {
  const [, site = '', path = '', rest = ''] = /^([^:]*:\/\/[^/?#]*\/)([^?#]*)(.*)$/s.exec(uri) ?? [];
  const key = canonicalPath(path);
  return site === '' || key === undefined ? uri : site + key.slice(1) + rest;
}

/** A location that resolves to this key in any set. */
export function locationOf(key: ResourceKey): Location {
  if (!key.startsWith('/')) return { value: key, type: 'url' };
  return { value: pathOfKey(key) ?? key.slice(1), type: 'rel_path' };
}

/**
 * The key of a location in a set. `url`, `abs_path` and `rel_path` of the same resource have the same key.
 * @param field the caller's name of `location.value`, for the error; the message leaves out a final `.value`
 * @throws TidemarkError `invalid`, with the wrong field and a code
 */
export function resolveLocation(location: Location, base: LocationBase, field = 'location.value'): ResourceKey {
  const key = keyOfLocation(location, base, field);
  const fault = uriLengthFault(base.urlPrefix, key);
  if (fault !== undefined) throw wrong(field, fault.code, `makes a URI of ${fault.text}`);
  return key;
}

/** The same for the target of a link, which may be shorter: the least length is one of `loc` alone. */
export function resolveTarget(location: Location, base: LocationBase, field = 'location.value'): ResourceKey {
  const key = keyOfLocation(location, base, field);
  const fault = uriLengthFault(base.urlPrefix, key);
  if (fault?.code === 'uri-too-long') throw wrong(field, fault.code, `makes a URI of ${fault.text}`);
  return key;
}

/** Why the URI of a key is too short or too long for a list; undefined when it is not. */
export function uriLengthFault(urlPrefix: string, key: ResourceKey) {
  const { length } = uriOf(urlPrefix, key);
  const { least, most } = URI_LENGTH;
  if (length > most) return { code: 'uri-too-long', text: `${length} characters; at most ${most}` } as const;
  if (length < least) return { code: 'uri-too-short', text: `${length} characters; at least ${least}` } as const;
  return undefined;
}

/** As `resolveLocation`, without checking the length of its URI. */
export function keyOfLocation(location: Location, base: LocationBase, field: string): ResourceKey {
  const { value, type } = location;
  if (!value.isWellFormed() || NOT_IN_XML.test(value)) {
    throw wrong(field, 'not-representable', 'has control characters or lone surrogates, which XML cannot hold');
  }
  if (type !== 'abs_path' && leavesItsFolder(value)) {
    throw wrong(field, 'outside-root', 'has a segment "." or ".." (perhaps encoded): name the resource itself');
  }
  return type === 'url' ? keyOfUrl(value, base, field) : keyOfPath(relativePath(location, base, field));
}

/** Why no client can fetch the resource of a key; undefined when clients can. */
export function unfetchable(key: ResourceKey): 'not-http' | 'fragment' | undefined {
  if (key.includes('#')) return 'fragment';
  return key.startsWith('/') || IS_WEB.test(key) ? undefined : 'not-http';
}

function relativePath({ value, type }: Location, { resourceRootDir }: LocationBase, field: string): string {
  if (type === 'rel_path') {
    if (value.startsWith('/')) throw wrong(field, 'outside-root', 'of type rel_path begins with "/"; use abs_path');
    return plainPath(value, field);
  }
  if (resourceRootDir === undefined) {
    throw wrong(field, 'no-root', 'of type abs_path needs a set with a root or a resource_root_dir');
  }
  const root = resourceRootDir.endsWith('/') ? resourceRootDir : `${resourceRootDir}/`;
  if (leavesItsFolder(value) || !value.startsWith(root)) {
    throw wrong(field, 'outside-root', `is outside resource_root_dir (${resourceRootDir})`);
  }
  return plainPath(value.slice(root.length), field);
}

function plainPath(path: string, field: string): string {
  if (path === '' || path.startsWith('/') || path.endsWith('/') || path.includes('//')) {
    throw wrong(field, 'empty-segment', 'is empty or has an empty segment');
  }
  return path;
}

function keyOfUrl(value: string, { urlPrefix }: LocationBase, field: string): ResourceKey {
  const isPlain = isPlainUrl(value);
  const key = keyOfUri(urlPrefix, isPlain ? value : parseUrl(value, field));
  if (key === undefined) throw wrong(field, 'not-utf-8', 'has percent-encoded bytes that are not UTF-8');
  if (!isPlain) requireUri(value, { isBelow: key.startsWith('/'), field });
  return key;
}

/**
 * Refuses what the parser would make another URI of. Below the prefix, a path has one encoding, however it was written;
 * any other part would be listed as no client posted it.
 */
function requireUri(value: string, { isBelow, field }: { readonly isBelow: boolean; readonly field: string }): void {
  const [never] = NEVER_IN_URI.exec(value) ?? [];
  const [unencoded] = UNENCODED.exec(isBelow ? value.replace(/^[^?#]*/, '') : value) ?? [];
  const found = never ?? unencoded;
  if (found === undefined) return;
  if (found === '%') throw wrong(field, 'not-a-uri', 'has a % without two hexadecimal digits: a per cent sign is %25');
  throw wrong(field, 'not-a-uri', `has ${JSON.stringify(found)}, which no URI contains: percent-encode it`);
}

let plainOrigin = '//';

/**
 * Whether the URL parser would not change a URL: it is plain, and its host is the last one that the parser did not
 * change. Most links have the same host as the previous one, and parsing takes ten times as long as this comparison.
 * Segments `.` and `..` were rejected before.
 */
function isPlainUrl(value: string): boolean {
  const host = value.indexOf('://') + 3;
  const path = value.indexOf('/', host);
  if (host < 3 || path < 0 || !PLAIN_PATH.test(value.slice(path))) return false;
  if (value.startsWith(plainOrigin) && path === plainOrigin.length) return true;
  const origin = value.slice(0, path);
  const url = URL.parse(`${origin}/`);
  if (url === null || !IS_WEB.test(origin) || url.href !== `${origin}/` || origin.includes('@')) return false;
  plainOrigin = origin;
  return true;
}

function parseUrl(value: string, field: string): string {
  const url = URL.parse(value);
  if (url === null) throw wrong(field, 'not-a-uri', 'is not an absolute URI, such as https://example.org/a.pdf');
  if (url.username !== '' || url.password !== '') throw wrong(field, 'credentials', 'contains a user name or password');
  return strictUri(url.href);
}

/**
 * Encodes what the WHATWG parser leaves in a URL, but RFC 3986 forbids: brackets outside of the host, a second `#`, a
 * `%` without digits, spaces in opaque paths (urn:). Documents with them would be invalid.
 */
export function strictUri(href: string): string {
  if (PLAIN_URI.test(href)) return href;
  const [, authority = '', path = '', fragment = ''] = /^([^:]*:(?:\/\/[^/?#]*)?)([^#]*)(.*)$/s.exec(href) ?? [];
  return authority + encodeRest(path) + fragment.slice(0, 1) + encodeRest(fragment.slice(1));
}

/** What another source probably means by a URI, though it has characters that no URI contains. */
export function mendedUri(text: string): string {
  const url = NEVER_IN_URI.test(text) || UNENCODED.test(text) ? URL.parse(text) : null;
  return url === null ? text : strictUri(url.href);
}

function encodeRest(text: string): string {
  return text.replace(NOT_IN_URI, (character) => `%${character.charCodeAt(0).toString(16).toUpperCase()}`);
}

/** The canonical form of a path, however its characters were encoded. */
function canonicalPath(path: string): ResourceKey | undefined {
  if (PLAIN_PATH.test(path)) return `/${path}`;
  const names = path.split('/').map(decodeSegment);
  return names.includes(undefined) ? undefined : `/${names.map((name) => encodeSegment(name!)).join('/')}`;
}

function encodeSegment(name: string): string {
  // encodeURIComponent also encodes $ & + , ; = : @, which need no encoding in a path segment.
  return encodeURIComponent(name).replace(/%(?:24|26|2B|2C|3B|3D|3A|40)/g, decodeURIComponent);
}

function decodeSegment(segment: string): string | undefined {
  try {
    return decodeURIComponent(segment);
  } catch {
    return undefined;
  }
}

/** Whether a segment is "." or "..", even if it was encoded several times. */
function leavesItsFolder(value: string): boolean {
  if (!value.includes('.') && !value.includes('%')) return false;
  for (let text = value, round = 0; ; round++) {
    if (/(?:^|[/\\])\.{1,2}(?:$|[/\\?#])/.test(text)) return true;
    if (!text.includes('%')) return false;
    const decoded = text.replace(/%(2e|2f|5c|25)/gi, (_, hex: string) => String.fromCharCode(Number.parseInt(hex, 16)));
    if (decoded === text || round === 8) return decoded !== text;
    text = decoded;
  }
}

function wrong(field: string, code: string, message: string): TidemarkError {
  return new TidemarkError('invalid', `${field.replace(/\.value$/, '')} ${message}`, { code, field });
}
