import { eventLine } from './events.ts';
import type { HttpClient } from './http-client.ts';

/** Posts one event alone, and resolves when it is acknowledged. */
export async function postEvent(
  client: HttpClient,
  { set, number, revision }: { readonly set: string; readonly number: number; readonly revision: number },
): Promise<void> {
  const { body } = await client.post(`/api/sets/${set}/changes`, `{"changes":[${eventLine(number, { revision })}]}`);
  const { applied } = JSON.parse(body.toString());
  if (applied !== 1) throw new Error(`an event was not applied: ${body}`);
}

/** The date of an event's resource as documents show it; it is another one with each revision. */
export function lastmodOf(number: number, revision: number): string {
  const { lastmod } = JSON.parse(eventLine(number, { revision }));
  return `${lastmod.slice(0, 19)}Z`;
}
