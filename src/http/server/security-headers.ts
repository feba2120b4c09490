import { Socket } from 'node:net';
import helmet from 'helmet';
import { http } from '../../lib/http/node-http.ts';
import { CONTENT_SECURITY_POLICY } from '../pages/parts/layout.ts';

const setHeaders = helmet({
  contentSecurityPolicy: { useDefaults: false, directives: CONTENT_SECURITY_POLICY },
  // The proxy in front decides whether clients must always use https for a name.
  strictTransportSecurity: false,
  // Known to old browsers only, covered by the policy above, or hints without a gain here: each header costs time in
  // every response.
  originAgentCluster: false,
  xDnsPrefetchControl: false,
  xDownloadOptions: false,
  xFrameOptions: false,
  xPermittedCrossDomainPolicies: false,
  xXssProtection: false,
});

/** The headers of every response, by name. They do not depend on the request, so helmet makes them once. */
export const SECURITY_HEADERS: ReadonlyMap<string, string> = securityHeaders();

function securityHeaders(): ReadonlyMap<string, string> {
  const headers = new Map<string, string>();
  const request = new http.IncomingMessage(new Socket());
  const response = new http.ServerResponse(request);
  response.setHeader = (name, value) => {
    headers.set(name, String(value));
    return response;
  };
  setHeaders(request, response, () => {});
  return headers;
}
