import type { ResourceSet } from '../../core/resource-set.ts';
import { documentUri } from '../../publish/documents.ts';

/** The headers that every resource has, whatever its bytes are made of. */
export function resourceHeaders(set: ResourceSet, baseUrl: string): Readonly<Record<string, string>> {
  return {
    'Content-Security-Policy': "sandbox; frame-ancestors 'self'",
    // A page of another site must not learn from a browser that is signed in what a private set has.
    'Cross-Origin-Resource-Policy': set.private === true ? 'same-origin' : 'cross-origin',
    Link: `<${documentUri(baseUrl, { kind: 'capabilityList', set: set.slug })}>; rel="resourcesync"`,
  };
}
