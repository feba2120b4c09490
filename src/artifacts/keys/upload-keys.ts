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

/** A part of a file that is sent in several requests. */
export interface UploadedPartKey {
  readonly kind: 'uploaded-part';
  readonly organization: string;
  /** Of the resumable upload, 32 hexadecimal digits. */
  readonly id: string;
  /** Bytes of the file before it: so at each place, one part counts, and the parts follow each other. */
  readonly offset: number;
}

/** A folder for each organization. */
export const UPLOADS_FOLDER = '_uploads/';
/** A folder for each organization, and in it one for each resumable upload. */
export const PARTS_FOLDER = '_parts/';
/** Of an offset: keys sort as their numbers do. */
const DIGITS = 15;
const PART = /^_parts\/([^/]+)\/([0-9a-f]{32})\/(\d{15})$/;
const FILE = /^_uploads\/([^/]+)\/(\d{8})\/([0-9a-f]{32})$/;

export function formatUploadKey({ organization, day, id }: UploadKey): ObjectKey {
  // _uploads/lane/20261124/0f1e2d3c4b5a69788796a5b4c3d2e1f0
  return `${UPLOADS_FOLDER}${organization}/${day}/${id}`;
}

export function parseUploadKey(text: ObjectKey): UploadKey | undefined {
  const [, organization = '', day = '', id = ''] = FILE.exec(text) ?? [];
  return SLUG.test(organization) ? { kind: 'uploaded-file', organization, day, id } : undefined;
}

export function formatPartKey({ organization, id, offset }: UploadedPartKey): ObjectKey {
  // _parts/lane/0f1e2d3c4b5a69788796a5b4c3d2e1f0/000000016777216
  return `${partsOf(organization, id)}${String(offset).padStart(DIGITS, '0')}`;
}

/** What the keys of all parts of a resumable upload begin with. */
export function partsOf(organization: string, id: string): ObjectKey {
  return `${PARTS_FOLDER}${organization}/${id}/`;
}

export function parsePartKey(text: ObjectKey): UploadedPartKey | undefined {
  const [, organization = '', id = '', offset = ''] = PART.exec(text) ?? [];
  return SLUG.test(organization) ? { kind: 'uploaded-part', organization, id, offset: Number(offset) } : undefined;
}
