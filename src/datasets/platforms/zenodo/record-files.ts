import type { PlatformFile, StatedHash } from '../../manifest.ts';
import type { PlatformClient } from '../../platform.ts';
import { badReply, parseReply } from '../parse-reply.ts';
import { filesByName, filesReply, listedFiles, type RecordFile, type RecordReply } from './record-replies.ts';

interface AskedFiles {
  readonly record: RecordReply;
  /** Of the record in the API. */
  readonly url: string;
  readonly client: PlatformClient;
}

export interface RecordFiles {
  readonly files: readonly PlatformFile[];
  /** The URL of a ZIP of all files. */
  readonly archive: string | undefined;
}

/**
 * The files of a record: those in its reply where they are complete, otherwise those at its `/files`.
 * @throws IngestFailure `bad-platform-reply` when fewer are listed than are counted
 */
export async function recordFiles({ record, url, client }: AskedFiles): Promise<RecordFiles> {
  const archive = record.links?.archive ?? undefined;
  if (Array.isArray(record.files)) {
    const { files } = parseReply(listedFiles, record, url);
    // Of zenodo.org, `self` is the address of the bytes.
    return { files: files.map((file) => platformFile(file, file.links?.self ?? contentUrl(file, url))), archive };
  }
  const { files } = parseReply(filesByName, record, url);
  if (files?.enabled === false) return { files: [], archive };
  const entries = files?.entries;
  if (entries && (files.count ?? entries.length) === entries.length)
    return { files: entries.map((file) => platformFile(file, contentUrl(file, url))), archive };
  return { archive, ...(await listFiles({ url, client, count: files?.count })) };
}

interface AskedList extends Omit<AskedFiles, 'record'> {
  /** What the record says. */
  readonly count: number | null | undefined;
}

async function listFiles({ url, client, count }: AskedList): Promise<{ readonly files: readonly PlatformFile[] }> {
  const filesUrl = `${url}/files`;
  const { entries, count: ownCount } = parseReply(filesReply, await client.json(filesUrl), filesUrl);
  if (!entries) throw badReply(filesUrl, 'entries is missing');
  const stated = count ?? ownCount ?? entries.length;
  if (stated !== entries.length) throw badReply(filesUrl, `it lists ${entries.length} of ${stated} files`);
  return { files: entries.map((file) => platformFile(file, contentUrl(file, url))) };
}

/** @param otherwise where its bytes are when it has no link to them */
function platformFile(file: RecordFile, otherwise: string): PlatformFile {
  const { size, filesize, checksum, mimetype, links } = file;
  return {
    path: nameOf(file),
    size: size ?? filesize ?? undefined,
    hashes: checksum ? [statedHash(checksum)] : [],
    mimetype: mimetype ?? undefined,
    platformUrl: links?.content || links?.download || otherwise,
    id: String(file.file_id ?? file.id ?? nameOf(file)),
  };
}

const nameOf = ({ key, filename }: RecordFile): string => key || filename!;

function contentUrl(file: RecordFile, url: string): string {
  return `${file.links?.self ?? `${url}/files/${encodeURIComponent(nameOf(file).toWellFormed())}`}/content`;
}

const ALGORITHMS: Readonly<Record<number, string>> = { 32: 'md5', 40: 'sha1', 64: 'sha256', 128: 'sha512' };

/** `md5:0cc1…`, or the digest alone: its length says of which algorithm it is. */
function statedHash(checksum: string): StatedHash {
  const at = checksum.indexOf(':');
  if (at !== -1) return { algorithm: checksum.slice(0, at), digest: checksum.slice(at + 1) };
  return { algorithm: ALGORITHMS[checksum.length] ?? 'md5', digest: checksum };
}
