import { excerpt } from '../../../lib/excerpt.ts';
import type { StatedHash } from '../../manifest.ts';
import { badReply } from '../parse-reply.ts';
import { exactBytes } from './content-size.ts';
import { decoded, fileNameOf } from './file-name.ts';
import { type Node, textIn, valuesOf } from './json-ld.ts';
import type { SetLink } from './linkset.ts';
import { statedHashes } from './stated-hashes.ts';

/** A file as a set of links or the JSON-LD of a page lists it. */
export interface ListedFile {
  /** Absolute, without a fragment. */
  readonly url: string;
  readonly path: string;
  /** Bytes, where it is exact. */
  readonly size?: number | undefined;
  readonly hashes: readonly StatedHash[];
  readonly mimetype?: string | undefined;
  readonly extra?: Readonly<Record<string, unknown>> | undefined;
}

/** An `item` of a set of links. */
export function fileOfLink({ href, type, title }: SetLink): ListedFile {
  const mimetype = mediaType(type);
  const url = withoutFragment(href);
  return { url, path: fileNameOf({ url, name: title, mimetype }), hashes: [], mimetype };
}

/**
 * A DataDownload or a File of JSON-LD; undefined for one without an address.
 * @param base the URL of the page, from which relative ones are resolved
 * @throws IngestFailure `bad-platform-reply`
 */
export function fileOfNode(node: Node, base: string): ListedFile | undefined {
  const id = typeof node['@id'] === 'string' && !/^(?:#|_:)/.test(node['@id']) ? node['@id'] : undefined;
  const written = textIn(node, 'contentUrl') ?? id ?? textIn(node, 'url');
  if (written === undefined) return undefined;
  if (!URL.canParse(written, base)) throw badReply(base, `lists the file ${excerpt(written)}, which is no URL`);
  const url = withoutFragment(new URL(written, base).href);
  const mimetype = mediaType(textIn(node, 'encodingFormat') ?? textIn(node, 'fileFormat'));
  const [stated] = valuesOf(node, 'contentSize');
  const size = exactBytes(stated, url);
  const description = textIn(node, 'description');
  const extra = {
    ...(description !== undefined && { description }),
    ...(size === undefined && stated !== undefined && { contentSize: stated }),
  };
  return {
    url,
    path: relativePath(id) ?? fileNameOf({ url, name: textIn(node, 'name'), mimetype }),
    size,
    hashes: statedHashes(node),
    mimetype,
    ...(Object.keys(extra).length > 0 && { extra }),
  };
}

/** The path that a relative `@id` is, as RO-Crate has them: `./data/north%20sea.csv`. */
function relativePath(id: string | undefined): string | undefined {
  if (id === undefined || URL.canParse(id) || id.startsWith('/')) return undefined;
  return decoded(id.replace(/^\.\//, ''));
}

/** `text/csv` of `Text/CSV; charset=utf-8`; undefined for words and for addresses of formats. */
function mediaType(text: string | undefined): string | undefined {
  return /^[\w.+-]+\/[\w.+-]+(?=\s*(?:;|$))/.exec(text ?? '')?.[0].toLowerCase();
}

function withoutFragment(url: string): string {
  return url.replace(/#.*$/s, '');
}
