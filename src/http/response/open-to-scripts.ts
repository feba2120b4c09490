import type { DirectRequest } from '../request/direct-request.ts';

const OPEN = { 'Access-Control-Allow-Origin': '*', 'Access-Control-Expose-Headers': '*' } as const;

/**
 * Lets scripts of all web pages read an answer that everybody may read. The asterisk is for requests without cookies
 * and other credentials (Fetch, 3.2.5). Where a client may do everything because it is on the server's own machine, a
 * page of another site, open in a browser there, could read what no other client can: those answers stay closed.
 */
export function openToScripts(
  { sender }: Pick<DirectRequest, 'sender'>,
  isPrivate: boolean,
): Readonly<Record<string, string>> {
  return isPrivate || sender.kind === 'administrator' ? {} : OPEN;
}
