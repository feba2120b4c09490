import type { Contact } from './organization.ts';

/** `NAME <ADDRESS>`, or a name alone. The registry checks both. */
export function parseContact(text: string): Contact {
  const [, name = text, email] = /^([^<]*)<([^<>]*)>\s*$/.exec(text) ?? [];
  return { name, email: email?.trim() };
}
