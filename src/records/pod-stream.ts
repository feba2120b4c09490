import { addStreamOnce, type ReceivingRegistry } from './arrivals/first-stream.ts';

/**
 * The stream that a script for the POD aggregator names by its id, or by a name of which its id was made. Like the
 * aggregator, this makes a stream when there is none of this name. The first one is the default.
 * @throws TidemarkError `invalid` when no id can be made from the name; `not-found` for the organization; `conflict`
 *   when no stream can be made, such as when there are too many
 */
export async function podStream(registry: ReceivingRegistry, organization: string, name: string): Promise<string> {
  const ids = (await registry.get(organization)).streams.map(({ id }) => id);
  if (ids.includes(name)) return name;
  const id = idOf(name);
  if (!ids.includes(id)) await addStreamOnce(registry, organization, { id, title: name });
  return id;
}

/** Reduces a name, of any length, to letters without accents, digits and hyphens. */
function idOf(name: string): string {
  const letters = name.normalize('NFKD').replaceAll(/\p{M}/gu, '').toLowerCase();
  return letters.replaceAll(/[^a-z0-9_]+/g, '-').replaceAll(/^[-_]+|(?<![-_])[-_]+$/g, '');
}
