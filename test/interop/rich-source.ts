import { createHash } from 'node:crypto';
import { mkdir, rm, stat, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { keyOfPath, uriOf } from '../../src/core/key.ts';
import { traitsOf } from '../../src/core/origin.ts';
import type { ResourceSet } from '../../src/core/resource-set.ts';
import { setHome } from '../../src/core/set-uris.ts';
import { originOfRoot } from '../../src/core/stored-set.ts';
import { documentUri } from '../../src/publish/documents.ts';
import type { StoreKind } from '../support/each-store.ts';
import type { TrueChange, Truth } from '../support/rules/source.ts';
import { scan } from '../support/scanned-set.ts';
import { type StartedApp, startApp } from '../support/start-app.ts';
import { post } from './http.ts';
import type { ReverseProxy } from './reverse-proxy.ts';

const PATCH = 'http://www.openarchives.org/rs/terms/patch';
/** Links to what other servers have, by all relations of ResourceSync 1.1, 14. */
const ELSEWHERE = [
  { rel: 'duplicate', pri: 1, mime: 'text/plain', modified: '2026-01-31T12:00:00Z' },
  { rel: 'alternate', mime: 'text/html' },
  { rel: 'canonical' },
  { rel: 'profile' },
  { rel: 'memento', modified: '2026-01-31T12:00:00Z', length: 5, hash: `md5:${'0'.repeat(32)}`, mime: 'text/plain' },
  { rel: 'timegate', mime: 'text/html' },
  { rel: 'timemap', mime: 'application/link-format' },
  { rel: 'collection' },
  { rel: 'via', modified: '2026-01-31T12:00:00Z', length: 5, mime: 'text/plain' },
];
/** So small that a handful of resources has pages and windows. */
const SIZES = { pageEntries: 5, windowChanges: 6 };

/**
 * A source behind a proxy with all kinds of sets: a folder (`files`), posted resources that another server on the same
 * host has (`papers`), one with few changes (`notes`), and one without any (`empty`). Close it with `closeApps`.
 */
export class RichSource {
  readonly proxy: ReverseProxy;
  readonly #app: StartedApp['app'];
  readonly #owners: readonly Owner[];

  private constructor(proxy: ReverseProxy, app: StartedApp['app'], owners: readonly Owner[]) {
    this.proxy = proxy;
    this.#app = app;
    this.#owners = owners;
  }

  static async start(store: StoreKind, proxy: ReverseProxy): Promise<RichSource> {
    const started = await startApp(store, { baseUrl: proxy.baseUrl, robots: 'sitemaps' });
    const { app, url, folder } = started;
    proxy.target = url;
    const root = join(folder, 'files');
    await mkdir(root);
    const files = await app.sets.add({ slug: 'files', origin: originOfRoot(root), keepVersions: true, ...SIZES });
    const elsewhere = (slug: string) => ({ slug, urlPrefix: `${new URL(proxy.baseUrl).origin}/store/${slug}/` });
    const papers = await app.sets.add({ ...elsewhere('papers'), ...SIZES });
    const notes = await app.sets.add(elsewhere('notes'));
    await app.sets.add(elsewhere('empty'));

    const ofFiles = new FolderOwner(files, started);
    await fill(ofFiles);
    await app.sets.markReady('files');
    await app.publishing.dumps.build('files', {});
    await app.publishing.listArchives.keep('files');
    const ofPapers = new Poster(papers, { proxy, url });
    await fill(ofPapers);
    const ofNotes = new Poster(notes, { proxy, url });
    // Its other resources link to it.
    await ofNotes.write('first.txt', 'the first one');
    await ofNotes.write('only.txt', 'the second one');
    return new RichSource(proxy, app, [ofFiles, ofPapers, ofNotes]);
  }

  /** What the owners know of their sets, by the URI of the Capability List. */
  get truth(): ReadonlyMap<string, Truth> {
    const empty = { resources: [], changes: [] };
    const known = this.#owners.map(({ set, truth }) => [set.slug, truth] as const);
    return new Map(
      [...known, ['empty', empty] as const].map(([slug, truth]) => [
        documentUri(this.proxy.baseUrl, { kind: 'capabilityList', set: slug }),
        truth,
      ]),
    );
  }

  /** Moves the sets whose resources another server has to other URIs there; their histories begin anew. */
  async move(): Promise<void> {
    const posters = this.#owners.filter((owner) => owner instanceof Poster);
    for (const owner of posters) {
      const { slug, urlPrefix } = owner.set;
      owner.moveTo(await this.#app.sets.move(slug, urlPrefix.replace('/store/', '/moved/')));
    }
  }

  /** Changes every set but the empty one, so that windows roll over. */
  async goOn(): Promise<void> {
    for (const owner of this.#owners) {
      for (const number of [1, 2, 3, 4, 5]) await owner.write(`later/${number}.txt`, `later ${number}`);
      await owner.remove('later/4.txt');
    }
    await this.#app.publishing.dumps.build('files', {});
    for (const slug of ['files', 'notes']) await this.#app.publishing.listArchives.keep(slug);
  }
}

/** Created, updated, deleted, moved, created again: of some several times. */
async function fill(owner: Owner): Promise<void> {
  for (let number = 1; number <= 12; number++)
    await owner.write(`part ${number % 3}/é&${number}.txt`, `number ${number}`);
  await owner.write('first.txt', 'one');
  await owner.write('first.txt', 'one and two');
  await owner.write('first.txt', 'one, two and three');
  await owner.remove('part 1/é&1.txt');
  await owner.remove('part 2/é&2.txt');
  await owner.write('moved/é&2.txt', 'number 2');
  await owner.write('part 1/é&1.txt', 'number 1 is back');
}

/** A client that changes the resources of a set, and remembers what it did. */
abstract class Owner {
  set: ResourceSet;
  #paths = new Set<string>();
  #changes: TrueChange[] = [];
  #before: readonly string[] = [];

  constructor(set: ResourceSet) {
    this.set = set;
  }

  get truth(): Truth {
    return { resources: this.#uris(), changes: [...this.#changes], before: this.#before };
  }

  async write(path: string, text: string): Promise<void> {
    const lastmod = await this.put(path, text);
    this.#paths.add(path);
    const hash = `sha-256:${createHash('sha256').update(text).digest('hex')}`;
    const length = String(Buffer.byteLength(text));
    this.#changes.push({ uri: this.uriOf(path), state: { hash, length, type: 'text/plain', lastmod } });
  }

  async remove(path: string): Promise<void> {
    await this.delete(path);
    this.#paths.delete(path);
    this.#changes.push({ uri: this.uriOf(path), state: undefined });
  }

  moveTo(set: ResourceSet): void {
    this.set = set;
    this.#changes = [];
    this.#before = this.#uris();
  }

  #uris(): readonly string[] {
    return [...this.#paths].map((path) => this.uriOf(path));
  }

  protected uriOf(path: string): string {
    return uriOf(this.set.urlPrefix, keyOfPath(path));
  }

  /** Returns its lastmod. */
  protected abstract put(path: string, text: string): Promise<string>;
  protected abstract delete(path: string): Promise<void>;
}

class FolderOwner extends Owner {
  readonly #app: StartedApp['app'];

  constructor(set: ResourceSet, { app }: StartedApp) {
    super(set);
    this.#app = app;
  }

  protected override async put(path: string, text: string): Promise<string> {
    const file = join(traitsOf(this.set.origin).root!, path);
    await mkdir(dirname(file), { recursive: true });
    await writeFile(file, text);
    await this.#scan();
    return wholeSeconds(new Date((await stat(file)).mtimeMs));
  }

  protected override async delete(path: string): Promise<void> {
    await rm(join(traitsOf(this.set.origin).root!, path));
    await this.#scan();
  }

  async #scan(): Promise<void> {
    const { index, updater } = this.#app;
    await scan({ ...this.#app.sources.rootOf(this.set), set: this.set, index, updater });
  }
}

/** Posts the changes of what another server has. */
class Poster extends Owner {
  readonly #proxy: ReverseProxy;
  readonly #home: string;

  constructor(set: ResourceSet, { proxy, url }: { readonly proxy: ReverseProxy; readonly url: string }) {
    super(set);
    this.#proxy = proxy;
    this.#home = setHome(url, set.slug);
  }

  protected override async put(path: string, text: string): Promise<string> {
    const uri = this.uriOf(path);
    const body = Buffer.from(text);
    const lastmod = wholeSeconds(new Date());
    const headers = { 'content-type': 'text/plain', 'last-modified': new Date(lastmod).toUTCString() };
    this.#proxy.own.set(new URL(uri).pathname, { status: 200, headers, body });
    await this.#post({
      change: 'updated',
      location: { type: 'url', value: uri },
      hash: `sha-256:${createHash('sha256').update(body).digest('hex')}`,
      length: body.length,
      mime: 'text/plain',
      lastmod,
      ln: [
        { rel: 'describedby', href: { type: 'rel_path', value: 'first.txt' } },
        { rel: PATCH, href: { type: 'rel_path', value: 'first.patch' }, mime: 'application/json-patch+json' },
        ...ELSEWHERE.map(({ rel, ...about }) => {
          return { rel, href: { type: 'url', value: `https://elsewhere.example.org/${rel}` }, ...about };
        }),
      ],
    });
    return lastmod;
  }

  override moveTo(set: ResourceSet): void {
    const { own } = this.#proxy;
    const [from, to] = [this.set, set].map(({ urlPrefix }) => new URL(urlPrefix).pathname);
    for (const [path, answer] of [...own]) {
      if (!path.startsWith(from!)) continue;
      own.set(to! + path.slice(from!.length), answer);
      own.delete(path);
    }
    super.moveTo(set);
  }

  protected override async delete(path: string): Promise<void> {
    const uri = this.uriOf(path);
    this.#proxy.own.delete(new URL(uri).pathname);
    await this.#post({ change: 'deleted', location: { type: 'url', value: uri } });
  }

  async #post(event: object): Promise<void> {
    await post(this.#home, [event]);
  }
}

function wholeSeconds(time: Date): string {
  return `${time.toISOString().slice(0, 19)}Z`;
}
