import { SLUG } from '../../core/resource-set.ts';
import type { ObjectKey } from '../artifact-store.ts';

/** A file as uploaded by an organization. Its upload, a document in the catalog, has its name and its stream. */
export interface UploadKey {
  readonly kind: 'uploaded-file';
  readonly organization: string;
  /** The day on which the upload began, in UTC: `20261124`. */
  readonly day: string;
  /** Random, 32 hexadecimal digits: the number of the upload is assigned only when all files are stored. */
  readonly id: string;
}

/** A part of a file that is uploaded in several requests. */
export interface UploadedPartKey {
  readonly kind: 'uploaded-part';
  readonly organization: string;
  /** The id of the resumable upload, 32 hexadecimal digits. */
  readonly id: string;
  /** Number of bytes of the file before this part. One part counts at each offset, and the parts are contiguous. */
  readonly offset: number;
}

/** The folder of uploaded files. Each organization has a folder in it. */
export const UPLOADS_FOLDER = '_uploads/';
/** The folder of parts. Each organization has a folder in it, and each resumable upload a folder in that. */
export const PARTS_FOLDER = '_parts/';
/** Digits of an offset, so that keys sort by offset. */
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

/** The prefix of the keys of all parts of a resumable upload. */
export function partsOf(organization: string, id: string): ObjectKey {
  return `${PARTS_FOLDER}${organization}/${id}/`;
}

export function parsePartKey(text: ObjectKey): UploadedPartKey | undefined {
  const [, organization = '', id = '', offset = ''] = PART.exec(text) ?? [];
  return SLUG.test(organization) ? { kind: 'uploaded-part', organization, id, offset: Number(offset) } : undefined;
}
