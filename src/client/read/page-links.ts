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

/** URIs in a header `Link`, by relation (RFC 8288, 3). */
export function linksInHeader(header: string): Readonly<Record<string, readonly string[]>> {
  const found: Record<string, string[]> = Object.create(null);
  for (const [, href, parameters] of header.matchAll(/<([^<>]*)>([^<]*)/g)) {
    const [, quoted, bare] = /;\s*rel\s*=\s*(?:"([^"]*)"|([^\s";,]+))/i.exec(parameters!) ?? [];
    for (const rel of (quoted ?? bare ?? '').toLowerCase().split(/\s+/)) {
      found[rel] ??= [];
      found[rel].push(href!);
    }
  }
  return found;
}

/** URIs of the `Sitemap:` lines in robots.txt. */
export const sitemapsInRobots = (text: string): readonly string[] =>
  [...text.matchAll(/^[ \t]*sitemap[ \t]*:[ \t]*(\S+)/gim)].map(([, uri]) => uri!);
