import fs from 'node:fs';
import { oneElement } from '../one-element.ts';
import { TransformError } from '../transform.ts';
import type { FolderFetch } from './folder-fetch.ts';
import { CapturedMessages, LimitedMemory } from './limits.ts';

/** Offsets in nodes and documents of libxml2 (its tree.h), where pointers have four bytes. */
const NODE = { type: 4, children: 12, next: 24 } as const;
const ELEMENT = 1;
/** What may be beside the root: processing instructions, comments, and the document type that `xsl:output` names. */
const BESIDE_ROOT: ReadonlySet<number> = new Set([7, 8, 14]);

/** A sheet: where it is in the memory of the library. */
type CompiledSheet = number;
type Pointer = number;

/** Compiles and applies sheets of XSLT. */
interface XsltEngine {
  /** @throws Error that says what is wrong, and where */
  compile(url: string): Promise<CompiledSheet>;
  /**
   * Returns one element, without what is beside it.
   * @throws Error with what the sheet said, or what was wrong
   */
  apply(sheet: CompiledSheet, xml: string): Promise<string>;
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
  const { libxslt } = await import('libxslt-wasm/internal/module');
  libxslt._exsltRegisterAll();
  return new LibxsltEngine(libxslt, files, messages);
}

type Libxslt = typeof import('libxslt-wasm/internal/module')['libxslt'];

/** The functions of libxslt. Its classes for JavaScript take a third more time, most of it for the texts. */
class LibxsltEngine implements XsltEngine {
  readonly #libxslt: Libxslt;
  readonly #files: FolderFetch;
  readonly #messages: CapturedMessages;

  constructor(libxslt: Libxslt, files: FolderFetch, messages: CapturedMessages) {
    this.#libxslt = libxslt;
    this.#files = files;
    this.#messages = messages;
  }

  compile(url: string): Promise<CompiledSheet> {
    const { xmlParserOption } = this.#libxslt;
    const { NOENT, DTDLOAD, NOCDATA } = xmlParserOption;
    return this.#reporting(async () => {
      const address = this.#write(url);
      const document = await this.#libxslt._xmlReadFile(address, 0, NOENT.value | DTDLOAD.value | NOCDATA.value);
      this.#libxslt._free(address);
      // The sheet owns its document.
      return existing(await this.#libxslt._xsltParseStylesheetDoc(existing(document, 'not XML')), 'not a sheet');
    });
  }

  apply(sheet: CompiledSheet, xml: string): Promise<string> {
    const { _xmlReadDoc, _xsltApplyStylesheet, xmlParserOption } = this.#libxslt;
    return this.#reporting(async () => {
      const text = this.#write(xml);
      const document = _xmlReadDoc(text, 0, 0, xmlParserOption.NO_XXE.value);
      this.#libxslt._free(text);
      let result = 0;
      try {
        result = await _xsltApplyStylesheet(sheet, existing(document, 'the record is not XML'), 0);
        return this.#rootOf(existing(result, 'the sheet cannot be applied'));
      } finally {
        // It accepts 0.
        this.#libxslt._xmlFreeDoc(result);
        this.#libxslt._xmlFreeDoc(document);
      }
    });
  }

  /** Writes a text that ends with a zero. */
  #write(text: string): Pointer {
    const bytes = Buffer.from(text);
    const at = existing(this.#libxslt._malloc(bytes.length + 1), 'no memory');
    this.#libxslt.HEAPU8.set(bytes, at);
    this.#libxslt.HEAPU8[at + bytes.length] = 0;
    return at;
  }

  /** A tree is well-formed when it is written, unless the sheet writes texts without escaping them. */
  #rootOf(document: Pointer): string {
    const root = this.#files.haveRawTexts ? undefined : this.#onlyElement(document);
    return root === undefined ? oneElement(this.#dump(document, document)).xml : this.#dump(document, root);
  }

  #onlyElement(document: Pointer): Pointer | undefined {
    let found: Pointer | undefined;
    for (let node = this.#field(document, 'children'); node !== 0; node = this.#field(node, 'next')) {
      const type = this.#field(node, 'type');
      if (BESIDE_ROOT.has(type)) continue;
      if (type !== ELEMENT || found !== undefined) return undefined;
      found = node;
    }
    return found;
  }

  #field(node: Pointer, name: keyof typeof NODE): number {
    return this.#libxslt.getValue(node + NODE[name], 'i32');
  }

  #dump(document: Pointer, node: Pointer): string {
    const output = this.#libxslt._xmlAllocOutputBuffer(0);
    this.#libxslt._xmlNodeDumpOutput(output, document, node, 0, 0, 0);
    const start = this.#libxslt._xmlOutputBufferGetContent(output);
    const end = start + this.#libxslt._xmlOutputBufferGetSize(output);
    const text = Buffer.from(this.#libxslt.HEAPU8.subarray(start, end)).toString();
    this.#libxslt._xmlOutputBufferClose(output);
    return text;
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
      if (error instanceof TransformError) throw error;
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

/** @throws Error with the problem when there is nothing */
function existing(pointer: Pointer, problem: string): Pointer {
  if (pointer === 0) throw new Error(problem);
  return pointer;
}

/** Ends this thread with an error; never returns. */
function endThread(error: Error): Promise<never> {
  setImmediate(() => {
    throw error;
  });
  return new Promise(() => {});
}
