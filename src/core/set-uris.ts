/** Addresses below the base URL, which ends without a slash. Those of documents are in publish/documents.ts. */

/** The page of the source. */
export function sourceHome(baseUrl: string): string {
  return `${baseUrl}/`;
}

/** The page of a set. */
export function setHome(baseUrl: string, slug: string): string {
  return `${baseUrl}/sets/${slug}/`;
}

/** The prefix of resources that this server serves; ends with a slash. */
export function resourcesPrefix(baseUrl: string, slug: string): string {
  return `${setHome(baseUrl, slug)}resources/`;
}
