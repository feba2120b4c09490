import { isUtf8 } from 'node:buffer';
import type { Mimetype } from '../../../artifacts/avro/mimetypes.ts';
import { isTidemarkError } from '../../../core/errors.ts';
import { type BadInput, type InputBatch, type InputItem, idProblem, MAX_RECORD_BYTES } from '../../input-item.ts';
import type { RecordSource } from './record-source.ts';

/** Media types by file suffix. Other files are not records, and are skipped. */
const MIMETYPE_OF_SUFFIX: Readonly<Record<string, Mimetype>> = {
  '.xml': 'application/xml',
  '.rdf': 'application/xml',
  '.json': 'application/json',
  '.jsonld': 'application/json',
  '.ttl': 'text/turtle',
};

/** What a harvest needs of a folder: sources/content-root.ts promises more. */
export interface DocumentFolder {
  list(under: string, onSkipped: (skipped: { readonly links: number }) => void): AsyncIterable<readonly FolderEntry[]>;
  open(path: string): Promise<{ stream(): AsyncIterable<Buffer> }>;
  isEmpty(): Promise<boolean>;
}

type FolderEntry =
  | { readonly path: string; readonly length: number; readonly problem?: undefined }
  | { readonly path: string; readonly problem: string };

/** Most files, and bytes of them, that are read at a time; at least one file. */
const MOST_FILES = 16;
const MOST_BYTES = 4 * 1024 ** 2;

/**
 * Documents of a folder (or a bucket): the id of each is its path below the folder, with `/` between names, and its
 * MIME type is derived from its suffix. Files excluded by the folder's `.tidemarkignore` are left out.
 */
export function openFolder(root: DocumentFolder): RecordSource {
  let passedOver = 0;
  let passedOverLinks = 0;
  async function* read(): AsyncIterable<InputBatch> {
    let done = 0;
    for await (const entries of root.list('', ({ links }) => (passedOverLinks += links))) {
      const documents = entries.filter((entry) => entry.problem !== undefined || mimetypeOf(entry.path) !== undefined);
      passedOver += entries.length - documents.length;
      for (const some of readAtOnce(documents)) {
        const items = await Promise.all(some.map((entry) => readDocument(root, entry)));
        done += items.length;
        yield { items, done };
      }
    }
  }
  return { total: undefined, read, passedOver: () => ({ files: passedOver, links: passedOverLinks }) };
}

function* readAtOnce(entries: readonly FolderEntry[]): Iterable<readonly FolderEntry[]> {
  let some: FolderEntry[] = [];
  let bytes = 0;
  for (const entry of entries) {
    const length = entry.problem === undefined ? entry.length : 0;
    if (some.length === MOST_FILES || (some.length > 0 && bytes + length > MOST_BYTES)) {
      yield some;
      some = [];
      bytes = 0;
    }
    some.push(entry);
    bytes += length;
  }
  if (some.length > 0) yield some;
}

function mimetypeOf(path: string): Mimetype | undefined {
  const suffix = /\.[^./]+$/.exec(path)?.[0].toLowerCase() ?? '';
  return Object.hasOwn(MIMETYPE_OF_SUFFIX, suffix) ? MIMETYPE_OF_SUFFIX[suffix] : undefined;
}

async function readDocument(root: DocumentFolder, entry: FolderEntry): Promise<InputItem> {
  const id = entry.path;
  if (entry.problem !== undefined) return bad(id, 'unreadable', entry.problem);
  const wrongId = idProblem(id);
  if (wrongId !== undefined) return bad(id, wrongId.kind, wrongId.message);
  if (entry.length > MAX_RECORD_BYTES) {
    return bad(id, 'document-too-long', `the file has more than ${MAX_RECORD_BYTES / 1024 ** 2} MB`);
  }
  try {
    const bytes = await bytesOf(root, id);
    if (!isUtf8(bytes)) return bad(id, 'not-utf-8', 'the document is not UTF-8');
    return { kind: 'record', id, document: bytes.toString('utf8'), mimetype: mimetypeOf(id) };
  } catch (error) {
    // A root that does not respond is a different error than a file that was deleted or changed meanwhile.
    if (isTidemarkError(error, 'not-found') || isTidemarkError(error, 'conflict')) {
      return bad(id, 'unreadable', error.message);
    }
    if (isTidemarkError(error, 'unavailable') && (await isReadable(root))) return bad(id, 'unreadable', error.message);
    throw error;
  }
}

async function bytesOf(root: DocumentFolder, path: string): Promise<Buffer> {
  const file = await root.open(path);
  const chunks: Buffer[] = [];
  for await (const chunk of file.stream()) chunks.push(chunk);
  return Buffer.concat(chunks);
}

/** Whether the root can be listed: if so, only the file could not be read. */
async function isReadable(root: DocumentFolder): Promise<boolean> {
  return root.isEmpty().then(
    () => true,
    () => false,
  );
}

function bad(id: string, kind: string, message: string): BadInput {
  return { kind: 'bad', id, problem: { kind, message } };
}
