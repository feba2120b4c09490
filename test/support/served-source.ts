import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

export type Answering = (request: IncomingMessage, response: ServerResponse) => void;

/** A source made by hand: a server with an answer for each path. */
export class ServedSource {
  readonly baseUrl: string;
  readonly answers = new Map<string, Answering | string | Buffer>();
  /** The paths that were requested, in order. */
  readonly requests: string[] = [];
  /** The header Authorization that each request must have; others get 404. */
  requires: string | undefined;
  readonly #server: Server;

  private constructor(server: Server) {
    this.#server = server;
    this.baseUrl = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    server.on('request', (request, response) => this.#answer(request, response));
  }

  static async start(): Promise<ServedSource> {
    const server = createServer();
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    return new ServedSource(server);
  }

  /** Serves a Source Description with one set, whose Capability List names lists. */
  describe(lists: Readonly<Record<string, string>>): this {
    const entries = Object.entries(lists).map(
      ([capability, path]) => `<url><loc>${this.baseUrl}${path}</loc><rs:md capability="${capability}"/></url>`,
    );
    this.answers.set('/', '<html></html>');
    return this.document(
      '/.well-known/resourcesync',
      `${this.link('describedby', '/about')}<rs:md capability="description"/>
<url><loc>${this.baseUrl}/set.xml</loc><rs:md capability="capabilitylist"/>${this.link('describedby', '/about')}</url>`,
    ).document(
      '/set.xml',
      `${this.link('up', '/.well-known/resourcesync')}${this.link('describedby', '/about')}<rs:md capability="capabilitylist"/>
${entries.join('\n')}`,
    );
  }

  /** Serves a document: the text between the tags of its root. */
  document(path: string, content: string, root = 'urlset'): this {
    this.answers.set(path, documentOf(content, root));
    return this;
  }

  link(rel: string, path: string): string {
    return `<rs:ln rel="${rel}" href="${this.baseUrl}${path}"/>`;
  }

  close(): Promise<unknown> {
    return new Promise((resolve) => this.#server.close(resolve).closeAllConnections());
  }

  #answer(request: IncomingMessage, response: ServerResponse): void {
    this.requests.push(request.url!);
    const isAllowed = this.requires === undefined || this.requires === request.headers.authorization;
    const answer = isAllowed ? this.answers.get(request.url!) : undefined;
    if (answer === undefined) response.writeHead(404).end();
    else if (typeof answer === 'function') answer(request, response);
    else response.writeHead(200, { 'content-type': typeOf(request.url!) }).end(answer);
  }
}

export const documentOf = (content: string, root = 'urlset'): string =>
  `<?xml version="1.0" encoding="UTF-8"?>
<${root} xmlns="http://www.sitemaps.org/schemas/sitemap/0.9" xmlns:rs="http://www.openarchives.org/rs/terms/">
${content}
</${root}>
`;

const TYPES: Readonly<Record<string, string>> = {
  xml: 'application/xml',
  txt: 'text/plain',
  zip: 'application/zip',
  html: 'text/html',
  resourcesync: 'application/xml',
};

const typeOf = (path: string) => TYPES[/[^./]*$/.exec(path)![0]] ?? 'text/html';
