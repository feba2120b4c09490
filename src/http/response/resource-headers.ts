import type { ServerResponse } from 'node:http';
import type { ResourceSet } from '../../core/resource-set.ts';
import { documentUri } from '../../publish/documents.ts';

/** Sets the headers that every resource has, whatever its bytes are made of. */
export function setResourceHeaders(response: ServerResponse, set: ResourceSet, baseUrl: string): void {
  response.setHeader('Content-Security-Policy', "sandbox; frame-ancestors 'self'");
  // A page of another site must not learn from a browser that is signed in what a private set has.
  response.setHeader('Cross-Origin-Resource-Policy', set.private === true ? 'same-origin' : 'cross-origin');
  response.setHeader(
    'Link',
    `<${documentUri(baseUrl, { kind: 'capabilityList', set: set.slug })}>; rel="resourcesync"`,
  );
}
