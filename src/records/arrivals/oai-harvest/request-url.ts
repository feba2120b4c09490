/** The URL of a request: a base URL may have a query of its own. */
export function requestUrl(baseUrl: string, query: Readonly<Record<string, string>>): string {
  const encoded = Object.entries(query).map(([name, value]) => `${name}=${encodeURIComponent(value)}`);
  return `${baseUrl}${baseUrl.includes('?') ? '&' : '?'}${encoded.join('&')}`;
}
