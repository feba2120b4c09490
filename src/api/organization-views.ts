import { type Organization, streamOf } from '../streams/organization.ts';
import type { OrganizationView, StreamView } from './organization-schemas.ts';

export function organizationView(organization: Organization): OrganizationView {
  const { id, title, contacts, normalization, created, defaultStream, streams } = organization;
  return {
    organization: id,
    ...(title !== undefined && { title }),
    contacts: [...contacts],
    ...(normalization !== undefined && { normalization: { ...normalization, items: [...normalization.items] } }),
    created: formatTime(created),
    ...(defaultStream !== undefined && { defaultStream }),
    streams: streams.map((stream) => streamView(organization, stream.id)),
  };
}

/** @throws TidemarkError `not-found` */
export function streamView(organization: Organization, stream: string): StreamView {
  const { id, title, created, archived } = streamOf(organization, stream);
  return {
    stream: id,
    ...(title !== undefined && { title }),
    default: organization.defaultStream === id,
    created: formatTime(created),
    ...(archived !== undefined && { archived: formatTime(archived) }),
  };
}

function formatTime(milliseconds: number): string {
  return new Date(milliseconds).toISOString();
}
