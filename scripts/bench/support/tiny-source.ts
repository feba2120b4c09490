import { createHash } from 'node:crypto';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';

const PER_LIST = 50_000;
const PER_FOLDER = 1_000;
const AT = '2026-11-01T00:00:00Z';
const OPEN = 'xmlns="http://www.sitemaps.org/schemas/sitemap/0.9" xmlns:rs="http://www.openarchives.org/rs/terms/"';

/** A bare source of very many resources of a few bytes: nothing of it is stored, and each answer is made at once. */
export class TinySource {
  readonly url: string;
  readonly #count: number;
  readonly #server: Server;

  private constructor(server: Server, count: number) {
    this.url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    this.#count = count;
    this.#server = server;
    server.on('request', ({ url }, response) => {
      const body = this.#bodyOf(url!);
      response.writeHead(body === undefined ? 404 : 200, { 'content-length': Buffer.byteLength(body ?? '') });
      response.end(body);
    });
  }

  static async start(count: number): Promise<TinySource> {
    const server = createServer();
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    return new TinySource(server, count);
  }

  close(): Promise<unknown> {
    return new Promise((resolve) => this.#server.close(resolve).closeAllConnections());
  }

  #bodyOf(path: string): string | undefined {
    const [, kind, number] = /^\/(?:files\/\d+\/|)(.*?)(\d*)\.(?:txt|xml)$/.exec(path) ?? [];
    if (path === '/.well-known/resourcesync')
      return this.#list('description', [this.#entry('/set.xml', 'capabilitylist')]);
    if (kind === 'set')
      return this.#list('capabilitylist', [this.#entry('/index.xml', 'resourcelist')], '/.well-known/resourcesync');
    if (kind === 'index') return this.#index();
    if (kind === 'list-') return this.#page(Number(number));
    return kind === 'tiny-' ? textOf(Number(number)) : undefined;
  }

  #index(): string {
    const pages = Array.from({ length: Math.ceil(this.#count / PER_LIST) }, (_, page) => page);
    const entries = pages.map((page) => `<sitemap><loc>${this.url}/list-${page}.xml</loc></sitemap>`);
    return this.#list('resourcelist', entries, '/set.xml', 'sitemapindex');
  }

  #page(page: number): string {
    const first = page * PER_LIST;
    const length = Math.min(PER_LIST, this.#count - first);
    const entries = Array.from({ length }, (_, at) => {
      const number = first + at;
      const text = textOf(number);
      const hash = createHash('sha256').update(text).digest('hex');
      const uri = `${this.url}/files/${Math.floor(number / PER_FOLDER)}/tiny-${number}.txt`;
      return `<url><loc>${uri}</loc><lastmod>${AT}</lastmod><rs:md hash="sha-256:${hash}" length="${text.length}"/></url>`;
    });
    return this.#list('resourcelist', entries, '/set.xml');
  }

  #entry(path: string, capability: string): string {
    return `<url><loc>${this.url}${path}</loc><rs:md capability="${capability}"/></url>`;
  }

  #list(capability: string, entries: readonly string[], up?: string, root = 'urlset'): string {
    const link = up === undefined ? '' : `<rs:ln rel="up" href="${this.url}${up}"/>`;
    const at = capability === 'resourcelist' ? ` at="${AT}"` : '';
    return `<${root} ${OPEN}>${link}<rs:md capability="${capability}"${at}/>${entries.join('\n')}</${root}>`;
  }
}

const textOf = (number: number) => `the tiny file ${number}\n`;
