import type { DirectRequest } from '../request/direct-request.ts';

const OPEN = { 'Access-Control-Allow-Origin': '*', 'Access-Control-Expose-Headers': '*' } as const;

/**
 * Permits scripts of all web pages to read a public response. The asterisk applies to requests without cookies and
 * other credentials (Fetch, 3.2.5). Where a client has all rights because it runs on the server's own machine, a page
 * of another site, open in a browser there, could read what no other client can: so those responses are not opened.
 */
export function openToScripts(
  { sender }: Pick<DirectRequest, 'sender'>,
  isPrivate: boolean,
): Readonly<Record<string, string>> {
  return isPrivate || sender.kind === 'administrator' ? {} : OPEN;
}
