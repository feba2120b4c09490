import type { Contact } from './organization.ts';

/** Parses `NAME <ADDRESS>`, or only a name. The registry checks both. */
export function parseContact(text: string): Contact {
  const [, name = text, email] = /^([^<]*)<([^<>]*)>\s*$/.exec(text) ?? [];
  return { name, email: email?.trim() };
}
