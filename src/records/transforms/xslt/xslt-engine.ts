import fs from 'node:fs';
import type { XmlDocument, XsltStylesheet } from 'libxslt-wasm';
import type { FolderFetch } from './folder-fetch.ts';

/** Most bytes of the memory of the library: that of a thread of transforms. */
const MOST_MEMORY = 1_024 * 1024 ** 2;
const PAGE = 65_536;
/** A file that the library could not open: it has no files, and asks for all other URLs by `fetch`. */
const NOT_OPENED = /^(\S+?):\d+: I\/O error/;
/** Characters of messages that are kept. */
const MOST_MESSAGES = 2_000;

/** Reads and applies sheets of XSLT. Messages are those of the library, for an error. */
interface XsltEngine {
  /** @throws Error that says what is wrong, and where */
  compile(url: string): Promise<XsltStylesheet>;
  /** Returns a document. @throws Error with what the sheet said, or what was wrong */
  apply(sheet: XsltStylesheet, xml: string): Promise<string>;
}

/**
 * Loads libxslt, with its limits, in a thread of its own: it replaces the global `fetch`, `WebAssembly.Memory` and what
 * is written to the standard output of this thread, since the library uses these. It cannot open files.
 */
export async function loadXsltEngine(files: FolderFetch): Promise<XsltEngine> {
  const messages = new CapturedMessages();
  globalThis.fetch = files.fetch as typeof fetch;
  Object.assign(fs, { writeSync: (_: number, text: unknown) => messages.add(String(text)) });
  WebAssembly.Memory = LimitedMemory;
  const libxslt = await import('libxslt-wasm');
  (await import('libxslt-wasm/exslt')).registerAll();
  return new LibxsltEngine(libxslt, files, messages);
}

class LibxsltEngine implements XsltEngine {
  readonly #libxslt: typeof import('libxslt-wasm');
  readonly #files: FolderFetch;
  readonly #messages: CapturedMessages;

  constructor(libxslt: typeof import('libxslt-wasm'), files: FolderFetch, messages: CapturedMessages) {
    this.#libxslt = libxslt;
    this.#files = files;
    this.#messages = messages;
  }

  compile(url: string): Promise<XsltStylesheet> {
    const { XmlDocument, XsltStylesheet } = this.#libxslt;
    return this.#reporting(async () => {
      const document = await XmlDocument.fromUrl(url, { options: { noEnt: true, dtdLoad: true, noCData: true } });
      return XsltStylesheet.fromXmlDocument(document);
    });
  }

  apply(sheet: XsltStylesheet, xml: string): Promise<string> {
    return this.#reporting(async () => {
      using document = await this.#libxslt.XmlDocument.fromString(xml, { options: { noXxe: true } });
      using result: XmlDocument = await sheet.apply(document);
      return result.toString();
    });
  }

  /** Adds the messages of the library to its errors, and makes an error of each file that it asked for in vain. */
  async #reporting<Result>(work: () => Promise<Result>): Promise<Result> {
    try {
      const result = await work();
      const refusal = this.#refusal();
      if (refusal !== undefined) throw new Error(refusal);
      return result;
    } catch (error) {
      if (LimitedMemory.isFull) return endThread(Object.assign(new Error(), { code: 'ERR_WORKER_OUT_OF_MEMORY' }));
      // The library has lost track of its memory.
      if (error instanceof WebAssembly.RuntimeError) return endThread(error);
      throw new Error(this.#refusal() ?? (this.#messages.text || (error as Error).message), { cause: error });
    } finally {
      this.#messages.clear();
      this.#files.clear();
    }
  }

  #refusal(): string | undefined {
    const [first = this.#messages.notOpened] = this.#files.refusals;
    return first && `it asks for ${first}`;
  }
}

/** Ends this thread with an error; never returns. */
function endThread(error: Error): Promise<never> {
  setImmediate(() => {
    throw error;
  });
  return new Promise(() => {});
}

/** The memory of WebAssembly, with a limit. */
class LimitedMemory extends WebAssembly.Memory {
  static isFull = false;

  constructor(descriptor: WebAssembly.MemoryDescriptor) {
    super({ ...descriptor, maximum: Math.min(descriptor.maximum ?? Number.POSITIVE_INFINITY, MOST_MEMORY / PAGE) });
  }

  override grow(pages: number): number {
    try {
      return super.grow(pages);
    } catch (error) {
      LimitedMemory.isFull = true;
      throw error;
    }
  }
}

/** What the library prints: errors with the lines of the sheet, and texts of `xsl:message`. */
class CapturedMessages {
  #text = '';

  add(text: string): void {
    if (this.#text.length < MOST_MESSAGES) this.#text += text;
  }

  clear(): void {
    this.#text = '';
  }

  /** In one line. */
  get text(): string {
    return this.#text.trim().replaceAll(/\s+/g, ' ');
  }

  /** The URL that could not be opened, and why. */
  get notOpened(): string | undefined {
    const [, url] = NOT_OPENED.exec(this.#text) ?? [];
    return url && `${url}, which is not a file of its folder`;
  }
}
