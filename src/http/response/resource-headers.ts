import type { Response } from 'express';
import type { ResourceSet } from '../../core/resource-set.ts';
import { documentUri } from '../../publish/documents.ts';

/** What goes with the bytes of every resource, whoever made them. */
export function setResourceHeaders(response: Response, set: ResourceSet, baseUrl: string): void {
  response.set({
    'Content-Security-Policy': "sandbox; frame-ancestors 'self'",
    // A page of another site must not learn from a browser that is signed in what a private set has.
    'Cross-Origin-Resource-Policy': set.private === true ? 'same-origin' : 'cross-origin',
    Link: `<${documentUri(baseUrl, { kind: 'capabilityList', set: set.slug })}>; rel="resourcesync"`,
  });
}
