import { isTidemarkError } from '../../core/errors.ts';
import { type Organization, receivingStream, requireStreamId } from '../organization.ts';
import type { OrganizationRegistry } from '../organization-registry.ts';

/** The stream that the first upload of an organization makes, unless it names another one. */
export const FIRST_STREAM = 'main';

export interface ReceivingRegistry
  extends Pick<OrganizationRegistry, 'get' | 'addStream' | 'addFirstStream' | 'ensureSets'> {}

/**
 * Requires that a stream accepts an upload, or that the upload would make it.
 * @param named empty or absent: the default stream. @throws TidemarkError `not-found`; `conflict`; `invalid`
 */
export async function requireReceiving(
  registry: Pick<OrganizationRegistry, 'get'>,
  organization: string,
  named: string | undefined,
): Promise<void> {
  const found = await registry.get(organization);
  if (!isWithoutStream(found, named)) receivingStream(found, named);
  else if (named) requireStreamId(named, organization);
}

/**
 * The stream that receives an upload. The first upload of an organization makes its default stream; of several first
 * uploads at the same time, one does so.
 * @throws TidemarkError as `requireReceiving`; as `OrganizationRegistry.addStream`
 */
export async function ensureReceiving(
  registry: ReceivingRegistry,
  organization: string,
  named: string | undefined,
): Promise<string> {
  const found = await registry.get(organization);
  if (!isWithoutStream(found, named)) return receivingStream(found, named);
  if (named) await addStreamOnce(registry, organization, { id: named });
  else {
    const isThere = ({ defaultStream }: Organization) => defaultStream !== undefined;
    await makeOnce(registry, { organization, isThere }, () => registry.addFirstStream(organization, FIRST_STREAM));
  }
  return receivingStream(await registry.get(organization), named);
}

/**
 * Makes a stream, unless another upload makes it meanwhile.
 * @throws TidemarkError as `OrganizationRegistry.addStream`
 */
export async function addStreamOnce(
  registry: ReceivingRegistry,
  organization: string,
  { id, title }: { readonly id: string; readonly title?: string },
): Promise<void> {
  const isThere = ({ streams }: Organization) => streams.some((stream) => stream.id === id);
  await makeOnce(registry, { organization, isThere }, () => registry.addStream(organization, id, title));
}

/** Another upload may have made the stream, or its sets, between the checks of this one. */
async function makeOnce(
  registry: ReceivingRegistry,
  { organization, isThere }: { readonly organization: string; isThere(now: Organization): boolean },
  make: () => Promise<unknown>,
): Promise<void> {
  try {
    await make();
  } catch (error) {
    if (!isTidemarkError(error, 'conflict') || !isThere(await registry.get(organization))) throw error;
    await registry.ensureSets();
  }
}

/** Streams of collections do not count: they take no uploads of users. */
function isWithoutStream({ defaultStream, streams }: Organization, named: string | undefined): boolean {
  return defaultStream === undefined && !streams.some(({ id }) => id === named);
}
