import { unlessConflict } from '../core/errors.ts';
import type { OrganizationRegistry } from './organization-registry.ts';

/**
 * The stream that a script for the POD aggregator names by its id, or by a name of which its id was made. Like the
 * aggregator, this makes a stream when there is none of this name. A new stream is never the default, unless it is the
 * first.
 * @throws TidemarkError `invalid` when no id can be made from the name; `not-found` for the organization
 */
export async function podStream(
  registry: Pick<OrganizationRegistry, 'get' | 'addStream'>,
  organization: string,
  name: string,
): Promise<string> {
  const { streams } = await registry.get(organization);
  const has = (id: string) => streams.some((stream) => stream.id === id);
  if (has(name)) return name;
  const id = idOf(name);
  if (has(id)) return id;
  // Another upload may have made it meanwhile.
  await unlessConflict(registry.addStream(organization, id, name));
  return id;
}

/** Reduces a name, of any length, to letters without accents, digits and hyphens. */
function idOf(name: string): string {
  const letters = name.normalize('NFKD').replaceAll(/\p{M}/gu, '').toLowerCase();
  return letters.replaceAll(/[^a-z0-9_]+/g, '-').replaceAll(/^[-_]+|(?<![-_])[-_]+$/g, '');
}
