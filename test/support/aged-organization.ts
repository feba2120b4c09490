import type { App } from '../../src/app.ts';
import type { Organization } from '../../src/records/organization.ts';

const MONTH_MS = 30 * 86_400_000;

/** Makes an organization one that was made a month before: older files than it are of another store. */
export async function ageOrganization({ catalog }: Pick<App, 'catalog'>, id: string): Promise<void> {
  const { body, version } = (await catalog.get<Organization>('organization', id))!;
  await catalog.put('organization', id, { ...body, created: body.created - MONTH_MS }, version);
}
