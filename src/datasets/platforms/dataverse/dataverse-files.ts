import type { PlatformFile, StatedHash } from '../../manifest.ts';
import type { DataverseFile } from './dataverse-replies.ts';

/**
 * A file as its depositor has uploaded it (D57, d5, d13). A table that was ingested has another form, `.tab`, which
 * neither size nor checksum describe: the original has all three names.
 */
export function dataverseFile({ dataFile, label, directoryLabel, version, ...rest }: DataverseFile, origin: string) {
  const { id, persistentId, filename, contentType, filesize, originalFileFormat } = dataFile;
  const isTable = isText(originalFileFormat);
  const name = isText(dataFile.originalFileName) ? dataFile.originalFileName : filename;
  const description = rest.description || dataFile.description;
  const extra = {
    ...(isText(description) && { description }),
    ...(isText(label) && label !== name && { label }),
    ...(version !== undefined && version !== null && { version }),
    ...(isText(persistentId) && { persistentId }),
  };
  return {
    path: isText(directoryLabel) ? `${directoryLabel}/${name}` : name,
    size: isTable ? (dataFile.originalFileSize ?? undefined) : filesize,
    hashes: statedHashes(dataFile),
    mimetype: (isTable ? originalFileFormat : contentType) ?? undefined,
    platformUrl: fileUrl({ origin, id, persistentId, isTable }),
    id: String(id),
    extra,
  } satisfies PlatformFile;
}

/** The names of files that only some may download: by the depositor's wish, until a day, or from a day on. */
export function restrictedFiles(files: readonly DataverseFile[], today: string): readonly string[] {
  const isRestricted = ({ restricted, dataFile }: DataverseFile) =>
    restricted === true ||
    dataFile.restricted === true ||
    (dataFile.embargo?.dateAvailable ?? '') > today ||
    (dataFile.retention?.dateUnavailable ?? '9999') <= today;
  return files.filter(isRestricted).map(({ label, dataFile }) => label || dataFile.filename);
}

function statedHashes({ md5, checksum }: DataverseFile['dataFile']): readonly StatedHash[] {
  if (checksum !== undefined && checksum !== null) return [{ algorithm: checksum.type, digest: checksum.value }];
  return isText(md5) ? [{ algorithm: 'md5', digest: md5 }] : [];
}

interface AskedFile {
  readonly origin: string;
  readonly id: number;
  /** Empty in installations without identifiers of files (D60, d4). */
  readonly persistentId: string | null | undefined;
  readonly isTable: boolean;
}

function fileUrl({ origin, id, persistentId, isTable }: AskedFile): string {
  const url = `${origin}/api/access/datafile`;
  if (!isText(persistentId)) return `${url}/${id}${isTable ? '?format=original' : ''}`;
  return `${url}/:persistentId/?persistentId=${inQuery(persistentId)}${isTable ? '&format=original' : ''}`;
}

/** An identifier in a query, as Dataverse writes it: with `:` and `/`. */
export function inQuery(id: string): string {
  return encodeURIComponent(id.toWellFormed()).replaceAll('%3A', ':').replaceAll('%2F', '/');
}

const isText = (text: string | null | undefined): text is string => typeof text === 'string' && text !== '';
