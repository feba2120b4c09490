import type { IncomingMessage } from 'node:http';

type Take = (bytes: number) => void;

// Stored by request, so that no route can read a body without counting it.
const meters = new WeakMap<IncomingMessage, Take>();

/** Registers a counter for the bytes of a request's body; an error of `take` ends the reading. */
export function meterBody(request: IncomingMessage, take: Take): void {
  meters.set(request, take);
}

export function takeOfBody(request: IncomingMessage, bytes: number): void {
  meters.get(request)?.(bytes);
}
