const isAdvertising = (rels: string) => rels.toLowerCase().split(/\s+/).includes('resourcesync');

/** URIs of the links to Capability Lists in an HTML page. */
export const linksInPage = (page: string): readonly string[] =>
  // Neither expression can match another `<`, so the time is linear in the length of the page.
  [...page.matchAll(/<link\b([^<>]*)>/gi)]
    .map(
      ([, text]) =>
        new Map(
          [...text!.slice(0, 10_000).matchAll(/([\w-]+)\s*=\s*(?:"([^"]*)"|'([^']*)'|([^\s"'>]+))/g)].map(
            ([, name, double, single, bare]) => [name!.toLowerCase(), double ?? single ?? bare ?? ''],
          ),
        ),
    )
    .filter((attributes) => isAdvertising(attributes.get('rel') ?? ''))
    .map((attributes) => attributes.get('href') ?? '');

/** A URI, or a parameter of the URI before it. A quoted value may contain anything. */
const LINK_PART = /<([^<>]*)>|;\s*([^\s=;,"<>]+)(?:\s*=\s*(?:"((?:[^"\\]|\\.)*)"|([^\s;,"]*)))?/g;

/** URIs in a header `Link`, by relation (RFC 8288, 3). */
export function linksInHeader(header: string): Readonly<Record<string, readonly string[]>> {
  const found: Record<string, string[]> = Object.create(null);
  /** The URI whose relations are still to come: only its first parameter `rel` counts. */
  let href: string | undefined;
  for (const [, uri, name, quoted, bare] of header.matchAll(LINK_PART)) {
    if (uri !== undefined) href = uri;
    if (href === undefined || name?.toLowerCase() !== 'rel') continue;
    for (const rel of (quoted ?? bare ?? '').toLowerCase().split(/\s+/)) {
      found[rel] ??= [];
      found[rel].push(href);
    }
    href = undefined;
  }
  return found;
}

/** URIs of the `Sitemap:` lines in robots.txt. */
export const sitemapsInRobots = (text: string): readonly string[] =>
  [...text.matchAll(/^[ \t]*sitemap[ \t]*:[ \t]*(\S+)/gim)].map(([, uri]) => uri!);
