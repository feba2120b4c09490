import { formatCount } from '../../../lib/format-count.ts';
import { IngestFailure } from '../../ingest-failure.ts';
import type { PlatformFile } from '../../manifest.ts';
import type { PlatformClient } from '../../platform.ts';
import { badReply, parseReply } from '../parse-reply.ts';
import { type ArticleFile, type ArticleReply, filesReply } from './article-replies.ts';

/** An article lists at most so many files itself. */
const OF_AN_ARTICLE = 10;
const PAGE_SIZE = 1000;
/** Far more than may be ingested: a list of any length is not read to its end. */
const MOST_FILES = 20_000;

interface AskedFiles {
  readonly article: ArticleReply;
  /** Of the version in the API. */
  readonly url: string;
  readonly client: PlatformClient;
}

/** @throws IngestFailure `bad-platform-reply` for pages that repeat, `too-many-files` */
export async function articleFiles({ article, url, client }: AskedFiles): Promise<readonly ArticleFile[]> {
  const { files, is_metadata_record: isMetadata } = article;
  if (isMetadata === true) return [];
  if (files && files.length < OF_AN_ARTICLE) return files;
  const found = new Map<number, ArticleFile>();
  for (let page = 1; ; page++) {
    const pageUrl = `${url}/files?page=${page}&page_size=${PAGE_SIZE}`;
    const listed = parseReply(filesReply, await client.json(pageUrl), pageUrl);
    for (const file of listed) {
      if (found.has(file.id)) throw badReply(pageUrl, `it lists file ${file.id} again: its pages do not end`);
      found.set(file.id, file);
    }
    if (listed.length < PAGE_SIZE) return [...found.values()];
    if (found.size >= MOST_FILES)
      throw new IngestFailure(
        'too-many-files',
        `${url} has ${formatCount(MOST_FILES)} files or more: it is too large to be ingested`,
      );
  }
}

/** The download URL that replies have is behind a challenge: the API has its own (d17). */
export function platformFile(file: ArticleFile, { api, folders }: { readonly api: string; readonly folders: Folders }) {
  const { id, name, size, computed_md5: computed, supplied_md5: supplied, mimetype } = file;
  const folder = folders.get(String(id))?.replace(/^\/+|\/+$/g, '') ?? '';
  const md5 = computed || supplied;
  return {
    path: folder === '' ? name : `${folder}/${name}`,
    size,
    hashes: md5 ? [{ algorithm: 'md5', digest: md5 }] : [],
    mimetype: mimetype ?? undefined,
    platformUrl: `${api}/v2/file/download/${id}`,
    id: String(id),
  } satisfies PlatformFile;
}

/** The folder of a file by its id. */
type Folders = ReadonlyMap<string, string>;
