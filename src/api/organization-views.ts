import { type DumpSettings, USUAL_KEEP } from '../records/dump-settings.ts';
import { type Organization, streamOf } from '../records/organization.ts';
import { formatTime } from './format-time.ts';
import type { OrganizationView, StreamView } from './organization-schemas.ts';

/** Which fields of an organization a reader may see. */
export interface OrganizationReader {
  /** E-mail addresses are not public. */
  readonly seesAddresses: boolean;
  readonly seesReaders: boolean;
}

const ADMINISTRATOR_READS: OrganizationReader = { seesAddresses: true, seesReaders: true };

export function organizationView(
  organization: Organization,
  { seesAddresses, seesReaders }: OrganizationReader = ADMINISTRATOR_READS,
): OrganizationView {
  const { id, title, contacts, normalization, created, defaultStream, streams, readers, dumps } = organization;
  return {
    organization: id,
    ...(title !== undefined && { title }),
    contacts: seesAddresses ? [...contacts] : contacts.map(({ name }) => ({ name })),
    private: organization.private === true,
    ...(seesReaders && readers !== undefined && { readers: [...readers] }),
    ...(normalization !== undefined && { normalization }),
    created: formatTime(created),
    ...(defaultStream !== undefined && { defaultStream }),
    streams: streams.map((stream) => streamView(organization, stream.id)),
    ...dumpSettings(dumps),
  };
}

/** @throws TidemarkError `not-found` */
export function streamView(organization: Organization, stream: string): StreamView {
  const { id, title, created, archived, dumps } = streamOf(organization, stream);
  return {
    stream: id,
    ...(title !== undefined && { title }),
    default: organization.defaultStream === id,
    created: formatTime(created),
    ...(archived !== undefined && { archived: formatTime(archived) }),
    ...dumpSettings(dumps),
  };
}

function dumpSettings(settings: DumpSettings | undefined): Pick<StreamView, 'dumps'> {
  if (settings === undefined) return {};
  const { full, delta, keep = USUAL_KEEP } = settings;
  return { dumps: { ...(full !== undefined && { full }), ...(delta !== undefined && { delta }), keep } };
}
