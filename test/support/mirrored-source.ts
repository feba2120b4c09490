import { createHash } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import { type Answering, ServedSource } from './served-source.ts';

export const sha256 = (bytes: string | Buffer): string => `sha-256:${createHash('sha256').update(bytes).digest('hex')}`;

/** The files of a copy by their paths, without those of the mirror itself. */
export function copyIn(folder: string): Readonly<Record<string, string>> {
  const files = readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => relative(folder, join(entry.parentPath, entry.name)))
    .filter((path) => !path.startsWith('.tidemark-mirror'))
    .sort();
  return Object.fromEntries(files.map((path) => [path, readFileSync(join(folder, path), 'utf8')]));
}

export const LIST = '/resourcelist.xml';
export const CHANGES = '/changelist.xml';

export interface ListedChange {
  readonly path: string;
  readonly change: 'created' | 'updated' | 'deleted';
  readonly datetime: string;
}

/** A source made by hand, with a Resource List and, perhaps, a Change List, whose resources are below `/files/`. */
export class MirroredSource {
  readonly served: ServedSource;
  /** The bytes of resources, by the path below `/files/`. */
  readonly files = new Map<string, string>();

  private constructor(served: ServedSource) {
    this.served = served;
  }

  static async start(): Promise<MirroredSource> {
    const source = new MirroredSource(await ServedSource.start());
    source.served.describe({ resourcelist: LIST });
    return source;
  }

  get url(): string {
    return `${this.served.baseUrl}/`;
  }

  /** Sets the bytes of resources; undefined removes one. */
  put(files: Readonly<Record<string, string | undefined>>): this {
    for (const [path, text] of Object.entries(files)) {
      if (text === undefined) this.files.delete(path);
      else this.files.set(path, text);
      this.served.answers.delete(`/files/${path}`);
      if (text !== undefined) this.served.answers.set(`/files/${path}`, sending(text));
    }
    return this;
  }

  /** Publishes the Resource List of what there is now. @param md attributes of an entry, besides `length` and `hash` */
  list(at: string, attributes: (path: string, text: string) => string = hashAndLength): this {
    const entries = [...this.files].map(([path, text]) => this.entry(path, attributes(path, text)));
    this.served.document(LIST, `<rs:md capability="resourcelist" at="${at}"/>${entries.join('\n')}`);
    return this;
  }

  changes(from: string, changes: readonly ListedChange[]): this {
    this.served.describe({ resourcelist: LIST, changelist: CHANGES });
    const entries = changes.map(({ path, change, datetime }) => {
      const text = this.files.get(path);
      const md = text === undefined || change === 'deleted' ? '' : hashAndLength(path, text);
      return this.entry(path, `change="${change}" datetime="${datetime}" ${md}`);
    });
    this.served.document(CHANGES, `<rs:md capability="changelist" from="${from}"/>${entries.join('\n')}`);
    return this;
  }

  entry(path: string, md: string): string {
    return `<url><loc>${this.served.baseUrl}/files/${path}</loc><rs:md ${md}/></url>`;
  }

  /** How often a resource was requested. */
  requestsOf(path: string): number {
    return this.served.requests.filter((request) => request === `/files/${path}`).length;
  }

  close(): Promise<unknown> {
    return this.served.close();
  }
}

export const hashAndLength = (_path: string, text: string): string =>
  `hash="${sha256(text)}" length="${Buffer.byteLength(text)}"`;

const sending =
  (text: string): Answering =>
  (request, response) => {
    const etag = `"${sha256(text)}"`;
    if (request.headers['if-none-match'] === etag) response.writeHead(304).end();
    else response.writeHead(200, { 'content-type': 'text/plain', etag }).end(text);
  };
