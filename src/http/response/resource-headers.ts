import type { ResourceKey } from '../../core/key.ts';
import { keptSince, type ResourceSet } from '../../core/resource-set.ts';
import { setHome, timeGateUri, timeMapUri } from '../../core/set-uris.ts';
import { documentUri } from '../../publish/documents.ts';

type Headers = Readonly<Record<string, string>>;

/** By the set object of the registry: a changed set is another object. */
const made = new WeakMap<ResourceSet, Headers>();

/** The headers that all resources of a set have. They are made once for each set. */
export function resourceHeaders(set: ResourceSet, baseUrl: string): Headers {
  let headers = made.get(set);
  if (headers === undefined) {
    headers = {
      'Content-Security-Policy': "sandbox; frame-ancestors 'self'",
      // A page of another site must not learn the contents of a private set through a signed-in browser.
      'Cross-Origin-Resource-Policy': set.private === true ? 'same-origin' : 'cross-origin',
      Link: linkToCapabilityList('resourcesync', set, baseUrl),
    };
    made.set(set, headers);
  }
  return headers;
}

/** The header Link of a resource: its Capability List, and for a set that publishes versions, their addresses. */
export function linksOf(set: ResourceSet, key: ResourceKey, baseUrl: string): string {
  const { Link = '' } = resourceHeaders(set, baseUrl);
  return keptSince(set) === undefined ? Link : `${Link}, ${versionLinks(set, key, baseUrl).join(', ')}`;
}

/** RFC 7089, 2.2. */
export function versionLinks({ slug }: ResourceSet, key: ResourceKey, baseUrl: string): readonly string[] {
  const home = setHome(baseUrl, slug);
  return [
    `<${timeGateUri(home, key)}>; rel="timegate"`,
    `<${timeMapUri(home, key)}>; rel="timemap"; type="application/link-format"`,
  ];
}

/**
 * A header Link to the Capability List of a set. `resourcesync` is only for resources in the Resource List of the set
 * (ResourceSync 1.1, 6.3.3); the page of the set, which is not one of its resources, `describes` the set.
 */
export function linkToCapabilityList(
  rel: 'resourcesync' | 'describes',
  { slug }: ResourceSet,
  baseUrl: string,
): string {
  return `<${documentUri(baseUrl, { kind: 'capabilityList', set: slug })}>; rel="${rel}"`;
}
