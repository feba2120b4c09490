/** Most bytes of the memory of the library: that of a thread of transforms. */
const MOST_MEMORY = 1_024 * 1024 ** 2;
const PAGE = 65_536;
/** A file that the library could not open: it has no files, and asks for all other URLs by `fetch`. */
const NOT_OPENED = /^(\S+?):\d+: I\/O error/;
/** Characters of messages that are kept. */
const MOST_MESSAGES = 2_000;

/** The memory of WebAssembly, with a limit. */
export class LimitedMemory extends WebAssembly.Memory {
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
export class CapturedMessages {
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
