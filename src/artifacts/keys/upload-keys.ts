import { SLUG } from '../../core/resource-set.ts';
import type { ObjectKey } from '../artifact-store.ts';

/** A file as an organization has uploaded it. Its upload, a document of the catalog, has its name and its stream. */
export interface UploadKey {
  readonly kind: 'uploaded-file';
  readonly organization: string;
  /** When it began to come, in UTC: `20261124`. */
  readonly day: string;
  /** By chance, 32 hexadecimal digits: its number is not known before all of its upload is stored. */
  readonly id: string;
}

/** A folder for each organization. */
export const UPLOADS_FOLDER = '_uploads/';
const FILE = /^_uploads\/([^/]+)\/(\d{8})\/([0-9a-f]{32})$/;

export function formatUploadKey({ organization, day, id }: UploadKey): ObjectKey {
  // _uploads/lane/20261124/0f1e2d3c4b5a69788796a5b4c3d2e1f0
  return `${UPLOADS_FOLDER}${organization}/${day}/${id}`;
}

export function parseUploadKey(text: ObjectKey): UploadKey | undefined {
  const [, organization = '', day = '', id = ''] = FILE.exec(text) ?? [];
  return SLUG.test(organization) ? { kind: 'uploaded-file', organization, day, id } : undefined;
}
