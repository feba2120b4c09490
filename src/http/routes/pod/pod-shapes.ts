import * as z from 'zod';
import { datetime, formatTime } from '../../../api/fields.ts';
import type { Upload } from '../../../records/arrivals/upload.ts';
import { filesOf, type UploadState } from '../../../records/arrivals/upload-state.ts';
import { type Organization, type Stream, streamOf } from '../../../records/organization.ts';
import { mediaTypeOf } from '../../../sources/media-type-by-name.ts';

/**
 * The JSON of the POD aggregator, with its names, as of July 2026. Its ids are numbers, and ours are texts. A base URL
 * has no final slash.
 */

const url = z.string().meta({ format: 'uri' });

const podListedStreamSchema = z
  .strictObject({ id: z.string(), name: z.string(), slug: z.string(), default: z.boolean(), url })
  .meta({ id: 'PodListedStream' });

const podOrganizationSchema = z
  .strictObject({
    id: z.string(),
    name: z.string(),
    slug: z.string(),
    groups: z.array(z.string()).describe('Always empty: groups are of tokens here.'),
    created_at: datetime,
    updated_at: datetime,
    url,
    streams: z.array(podListedStreamSchema),
  })
  .meta({ id: 'PodOrganization', description: 'An organization, as the POD aggregator shows it.' });

const podFileSchema = z
  .strictObject({
    id: z.string(),
    filename: z.string(),
    hash: z.string().describe('The algorithm, a colon, and hexadecimal digits.'),
    content_type: z.string(),
    byte_size: z.int().min(0),
    download_url: url,
  })
  .meta({ id: 'PodFile' });

const ofUpload = { id: z.string().describe('The stream and the number.'), name: z.string() };

const podReadUploadSchema = z
  .strictObject({ ...ofUpload, files: z.array(podFileSchema), created_at: datetime, updated_at: datetime, url })
  .meta({ id: 'PodReadUpload', description: 'An upload, as the POD aggregator shows it.' });

const podStreamSchema = z
  .strictObject({
    name: z.string(),
    slug: z.string(),
    url,
    uploads: z
      .array(z.strictObject({ ...ofUpload, files: z.array(podFileSchema) }).meta({ id: 'PodStreamUpload' }))
      .describe('In the order of arrival; of more than 10,000, the latest.'),
  })
  .meta({ id: 'PodStream', description: 'A stream, as the POD aggregator shows it.' });

export const POD_SCHEMAS = {
  organization: podOrganizationSchema,
  organizations: z.array(podOrganizationSchema),
  streams: z.array(podListedStreamSchema),
  stream: podStreamSchema,
  upload: podReadUploadSchema,
  uploads: z.array(podReadUploadSchema),
} as const;

type PodOrganization = z.output<typeof podOrganizationSchema>;
type PodStream = z.output<typeof podStreamSchema>;
export type PodReadUpload = z.output<typeof podReadUploadSchema>;

export function podOrganizationView(organization: Organization, baseUrl: string): PodOrganization {
  const { id, title, created } = organization;
  return {
    id,
    name: title ?? id,
    slug: id,
    groups: [],
    created_at: formatTime(created),
    updated_at: formatTime(created),
    url: `${baseUrl}/organizations/${id}.json`,
    streams: podStreamViews(organization, baseUrl),
  };
}

export function podStreamViews(organization: Organization, baseUrl: string): PodOrganization['streams'] {
  return ofUploads(organization).map((stream) => ({
    id: stream.id,
    ...podNames(stream),
    default: stream.id === organization.defaultStream,
    url: podStreamUrl(organization, stream, baseUrl),
  }));
}

/** @throws TidemarkError `not-found` */
export function podStreamOf(organization: Organization, id: string): Stream {
  return streamOf({ ...organization, streams: ofUploads(organization) }, id);
}

/** The streams that are filled by uploads, and not by harvests. */
function ofUploads({ streams }: Organization): readonly Stream[] {
  return streams.filter(({ set }) => set === undefined);
}

/** @param uploads in the order of arrival */
export function podStreamView(
  organization: Organization,
  { stream, uploads }: { readonly stream: Stream; readonly uploads: readonly PodReadUpload[] },
  baseUrl: string,
): PodStream {
  return {
    ...podNames(stream),
    url: podStreamUrl(organization, stream, baseUrl),
    uploads: uploads.map(({ id, name, files }) => ({ id, name, files })),
  };
}

/** @param state undefined before anything was done */
export async function podUploadView(
  upload: Upload,
  state: UploadState | undefined,
  baseUrl: string,
): Promise<PodReadUpload> {
  const { organization, stream, number, name, received } = upload;
  const id = `${stream}/${number}`;
  const at = formatTime(received);
  const kept = state?.originalsRemoved === undefined ? filesOf(upload, state) : [];
  const files = kept.map(async ({ name: filename, length, sha256 }, position) => ({
    id: `${id}/${position + 1}`,
    filename,
    hash: `sha-256:${sha256}`,
    content_type: await mediaTypeOf(filename),
    byte_size: length,
    download_url: `${baseUrl}/api/organizations/${organization}/uploads/${id}/files/${position + 1}`,
  }));
  return {
    id,
    name: name ?? at,
    files: await Promise.all(files),
    created_at: at,
    updated_at: at,
    url: podUploadUrl(upload, baseUrl),
  };
}

export function podUploadUrl(
  { organization, stream, number }: Pick<Upload, 'organization' | 'stream' | 'number'>,
  baseUrl: string,
): string {
  return `${baseUrl}/organizations/${organization}/uploads/${stream}/${number}.json`;
}

function podNames({ id, title }: Stream): { readonly name: string; readonly slug: string } {
  return { name: title ?? id, slug: id };
}

function podStreamUrl({ id }: Organization, stream: Stream, baseUrl: string): string {
  return `${baseUrl}/organizations/${id}/streams/${stream.id}.json`;
}
