import type { IncomingMessage } from 'node:http';

type Take = (bytes: number) => void;

// By the request itself, so that no route can read a body and forget to count it.
const meters = new WeakMap<IncomingMessage, Take>();

/** Has the bytes of a request's body counted as they come; what `take` throws ends the reading. */
export function meterBody(request: IncomingMessage, take: Take): void {
  meters.set(request, take);
}

export function takeOfBody(request: IncomingMessage, bytes: number): void {
  meters.get(request)?.(bytes);
}
