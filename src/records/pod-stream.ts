import { isTidemarkError } from '../core/errors.ts';
import type { OrganizationRegistry } from './organization-registry.ts';

/**
 * The stream that a script for the POD aggregator names by its id, or by a name of which its id was made. Like the
 * aggregator, this makes a stream when there is none of this name. It is called for an organization that has a default
 * stream, so the new one is not the default.
 * @throws TidemarkError `invalid` when no id can be made from the name; `not-found` for the organization; `conflict`
 *   when no stream can be made, such as when there are too many
 */
export async function podStream(
  registry: Pick<OrganizationRegistry, 'get' | 'addStream'>,
  organization: string,
  name: string,
): Promise<string> {
  const idsNow = async () => (await registry.get(organization)).streams.map(({ id }) => id);
  const ids = await idsNow();
  if (ids.includes(name)) return name;
  const id = idOf(name);
  if (ids.includes(id)) return id;
  try {
    await registry.addStream(organization, id, name);
  } catch (error) {
    // Another upload may have made it meanwhile.
    if (!isTidemarkError(error, 'conflict') || !(await idsNow()).includes(id)) throw error;
  }
  return id;
}

/** Reduces a name, of any length, to letters without accents, digits and hyphens. */
function idOf(name: string): string {
  const letters = name.normalize('NFKD').replaceAll(/\p{M}/gu, '').toLowerCase();
  return letters.replaceAll(/[^a-z0-9_]+/g, '-').replaceAll(/^[-_]+|(?<![-_])[-_]+$/g, '');
}
