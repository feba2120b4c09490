/** The targets of a header Link, by their relations. */
export function linksOf(header: string | readonly string[] | undefined): Readonly<Record<string, readonly string[]>> {
  const found = [...String(header ?? '').matchAll(/<([^>]*)>; rel="([^"]*)"/g)];
  const byRelation = Map.groupBy(found, ([, , relation]) => relation!);
  return Object.fromEntries([...byRelation].map(([relation, links]) => [relation, links.map(([, target]) => target!)]));
}
