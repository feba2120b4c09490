import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import type { PublishedDocument } from '../published-document.ts';
import { basisOf, type OlderVersion } from '../render/incremental-render.ts';
import type { RenderJob } from '../render/render-job.ts';
import { type CachedRecord, CachedRecords } from './cached-records.ts';
import { bodyPath, DocumentBodies } from './document-bodies.ts';
import { bodyOf, type DocumentRecord, removeLeftOver } from './document-files.ts';
import {
  type DocumentReference,
  isEarlier,
  isRecord,
  recordPath,
  versionless,
  versionlessOf,
  versionOf,
} from './document-reference.ts';

/** How to render a document that is not cached. */
export interface RenderTask {
  readonly job: RenderJob;
  readonly newest: number;
  readonly immutable?: boolean;
  /** The cached version, when this version can be made from it. */
  readonly older?: OlderVersion | undefined;
}

/** Renders a document into a record file, in a separate thread. */
export type Render = (record: string, task: RenderTask) => Promise<DocumentRecord>;

interface DocumentCacheOptions {
  readonly folder: string;
  readonly mostBytes: number;
  readonly render: Render;
  /** Milliseconds; for tests. */
  readonly grace?: number;
}

export interface CacheFigures {
  readonly documents: number;
  /** Bytes of the documents on disk. */
  readonly bytes: number;
  readonly mostBytes: number;
  /** Requests for a cached document. */
  readonly hits: number;
  /** Requests for a document that had to be rendered, or was being rendered. */
  readonly misses: number;
}

/**
 * Rendered documents on disk, each made when it is first requested. The same document is never rendered twice at the
 * same time.
 */
export class DocumentCache {
  readonly #folder: string;
  readonly #mostBytes: number;
  readonly #render: Render;
  readonly #bodies: DocumentBodies;
  readonly #records: CachedRecords;
  readonly #running = new Map<string, Promise<DocumentRecord>>();
  /** By document: the record path of the cached version; a new version replaces it. */
  readonly #versions = new Map<string, string>();
  #hits = 0;
  #misses = 0;

  constructor(options: DocumentCacheOptions) {
    this.#folder = options.folder;
    this.#mostBytes = options.mostBytes;
    this.#render = options.render;
    this.#bodies = new DocumentBodies(options.grace);
    this.#records = new CachedRecords(this.#bodies);
  }

  async get(reference: DocumentReference, task: () => RenderTask): Promise<PublishedDocument> {
    const path = this.#recordPath(reference);
    const known = this.#records.use(path) ?? (await this.#readOther(path, reference));
    const entry = await this.#records.requireSound(path, known);
    if (entry !== undefined) {
      this.#hits += 1;
      return this.#toDocument(path, entry.record);
    }
    this.#misses += 1;
    const plan = task();
    const withOlder = async () => ({ ...plan, older: await this.#olderVersion(reference, plan.job) });
    return this.#toDocument(path, await this.#make(path, reference, withOlder));
  }

  /** The contents of the cache, and how often a request found its document. */
  figures(): CacheFigures {
    const { count: documents, bytes } = this.#records;
    return { documents, bytes, mostBytes: this.#mostBytes, hits: this.#hits, misses: this.#misses };
  }

  /** Whether the cache had this version of the document at its last request; does not read the disk. */
  holds(document: Pick<DocumentReference, 'folder' | 'name' | 'version'>): boolean {
    const path = this.#versions.get(versionless(document));
    return path !== undefined && this.#records.get(path) !== undefined && versionOf(path) === document.version;
  }

  /** Renders a document completely, whether it is cached or not. */
  async refresh(reference: DocumentReference, task: RenderTask): Promise<PublishedDocument> {
    const path = this.#recordPath(reference);
    return this.#toDocument(path, await this.#make(path, reference, async () => task));
  }

  /** The record of the document, if it is cached. */
  async peek(reference: DocumentReference): Promise<DocumentRecord | undefined> {
    const path = this.#recordPath(reference);
    return (this.#records.use(path) ?? (await this.#records.read(path)))?.record;
  }

  /**
   * Reads the files of an earlier process: counts its documents, and removes incomplete ones. Never rejects: what
   * cannot be removed is left, and `removeLeftOver` reports it.
   */
  async scan(): Promise<void> {
    for (const folder of await readdir(this.#folder).catch(() => []))
      await this.#scanFolder(join(this.#folder, folder)).catch(() => {});
    await this.#records.evict(this.#mostBytes).catch(() => {});
  }

  /**
   * Removes bodies that no record names, and incomplete records, which killed processes and power failures left. It
   * waits for the grace period first, in which a request that has read a record opens its body.
   */
  async removeLeftOver(): Promise<void> {
    const left: string[] = [];
    for (const folder of await readdir(this.#folder).catch(() => []))
      left.push(...(await unnamedFiles(join(this.#folder, folder))));
    await wait(this.#bodies.grace, undefined, { ref: false });
    await removeLeftOver(left);
  }

  async #scanFolder(folder: string): Promise<void> {
    const files = await readdir(folder).catch(() => []);
    const named = new Set<string>();
    for (const file of files.filter(isRecord)) {
      const entry = await this.#records.read(join(folder, file));
      if (entry === undefined) continue;
      named.add(entry.record.body);
      await this.#keepNewest(join(folder, file));
    }
    const isUnnamed = (file: string) => !isRecord(file) && !named.has(bodyOf(file));
    await removeLeftOver(files.filter(isUnnamed).map((file) => join(folder, file)));
  }

  /** A killed process may have left two versions of a document. */
  async #keepNewest(path: string): Promise<void> {
    const document = versionlessOf(path);
    const other = this.#versions.get(document);
    // A request has read it before the scan did.
    if (other === path) return;
    const older = other !== undefined && versionOf(other) > versionOf(path) ? path : other;
    if (older !== path) this.#versions.set(document, path);
    if (older !== undefined) await this.#records.remove(older);
  }

  #recordPath(reference: DocumentReference): string {
    return join(this.#folder, recordPath(reference));
  }

  /** Reads a document that another process has rendered; it replaces the older version that this process knows. */
  async #readOther(path: string, reference: DocumentReference): Promise<CachedRecord | undefined> {
    const entry = await this.#records.read(path);
    const known = this.#versions.get(versionless(reference));
    // A slow request may ask for a version that is being removed.
    if (entry === undefined || (known !== undefined && versionOf(known) > reference.version)) return entry;
    if (known !== undefined && known !== path) await this.#records.remove(known);
    this.#versions.set(versionless(reference), path);
    return entry;
  }

  async #olderVersion(reference: DocumentReference, job: RenderJob): Promise<OlderVersion | undefined> {
    const path = this.#versions.get(versionless(reference));
    if (path === undefined || !isEarlier(path, reference)) return undefined;
    const found = this.#records.get(path);
    if (found?.record.basis === undefined || found.record.basis !== basisOf(job)) return undefined;
    const { record } = (await this.#records.requireSound(path, found)) ?? {};
    if (record === undefined) return undefined;
    return { file: bodyPath(path, record), length: record.lengths.identity, newest: record.newest };
  }

  #make(path: string, reference: DocumentReference, task: () => Promise<RenderTask>): Promise<DocumentRecord> {
    const underWay = this.#running.get(path);
    if (underWay !== undefined) return underWay;
    const made = task()
      .then((plan) => this.#render(path, plan))
      .then((record) => this.#take(path, reference, record))
      .finally(() => this.#running.delete(path));
    this.#running.set(path, made);
    return made;
  }

  /** Replaces the older version by the rendered one. */
  async #take(path: string, reference: DocumentReference, record: DocumentRecord): Promise<DocumentRecord> {
    const older = this.#versions.get(versionless(reference));
    if (older !== undefined && older !== path) await this.#records.remove(older);
    this.#versions.set(versionless(reference), path);
    const entry = await this.#records.read(path);
    // Another process rendered it at the same time and finished later, or has already removed it; then only this
    // response needs the body.
    if (entry?.record.body !== record.body) this.#bodies.removeLater(path, record);
    else entry.sound = Promise.resolve(true);
    await this.#records.evict(this.#mostBytes);
    return record;
  }

  #toDocument(path: string, record: DocumentRecord): PublishedDocument {
    const { digest, newest, rendered, immutable, lengths } = record;
    return {
      digest,
      newest,
      rendered,
      immutable,
      lengths,
      open: (encoding) => this.#bodies.open(path, record, encoding),
    };
  }
}

/** The files of a folder that no record names, and records that name no body: a power failure may have emptied them. */
async function unnamedFiles(folder: string): Promise<readonly string[]> {
  const files = await readdir(folder).catch(() => []);
  const named = new Set<string>();
  const sound = new Set<string>();
  for (const file of files.filter(isRecord)) {
    const body = await bodyNamedIn(join(folder, file));
    if (body === undefined) continue;
    named.add(body);
    sound.add(file);
  }
  const isNeeded = (file: string) => (isRecord(file) ? sound.has(file) : named.has(bodyOf(file)));
  return files.filter((file) => !isNeeded(file)).map((file) => join(folder, file));
}

/** Undefined when the record is incomplete, or was replaced meanwhile: no record names its body then. */
async function bodyNamedIn(record: string): Promise<string | undefined> {
  try {
    return (JSON.parse(await readFile(record, 'utf8')) as DocumentRecord).body;
  } catch {
    return undefined;
  }
}
