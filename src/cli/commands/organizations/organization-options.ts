import type { Command } from 'commander';
import type { Contact, OrganizationFields } from '../../../streams/organization.ts';
import { collect } from '../../options.ts';

export interface OrganizationOptions {
  readonly title?: string;
  readonly contact?: readonly string[];
}

export function addOrganizationOptions(command: Command): void {
  command
    .option('--title <text>', 'what people call it')
    .option('--contact <contact>', "whom to ask, such as 'Ada <ada@example.org>'; may be given several times", collect);
}

/** What was given. An empty text means none. */
export function givenFields({ title, contact }: OrganizationOptions): Partial<OrganizationFields> {
  return {
    ...(title !== undefined && { title }),
    ...(contact !== undefined && { contacts: contact.filter((text) => text !== '').map(parseContact) }),
  };
}

/** `NAME <ADDRESS>`, or a name alone. The registry checks both. */
function parseContact(text: string): Contact {
  const [, name = text, email] = /^([^<]*)<([^<>]*)>\s*$/.exec(text) ?? [];
  return { name, email: email?.trim() };
}
