import mime from 'mime';

/** An extension has a letter: `10.1594/PANGAEA.907` has none. */
const EXTENSION = /\.(?=[a-z0-9]*[a-z])[a-z0-9]{1,8}$/i;

interface NamedFile {
  /** Absolute. */
  readonly url: string;
  /** What the page calls it: a file name, or words. */
  readonly name?: string | undefined;
  readonly mimetype?: string | undefined;
}

/** A file name for what a page links: its name or a part of its URL that has an extension, else one by its type. */
export function fileNameOf({ url, name, mimetype }: NamedFile): string {
  if (name !== undefined && EXTENSION.test(name)) return name;
  const segments = new URL(url).pathname.split('/').filter(Boolean).map(decoded);
  const inUrl = segments.slice(-2).findLast((segment) => EXTENSION.test(segment));
  if (inUrl !== undefined) return inUrl.replaceAll('/', '_');
  const extension = mimetype === undefined ? null : mime.getExtension(mimetype);
  const stem = (name ?? segments.at(-1) ?? 'file').replaceAll('/', '_');
  return extension === null ? stem : `${stem}.${extension}`;
}

/** A part of a path, without its percent-encoding where that is valid. */
export function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}
