import { readFile, realpath, stat } from 'node:fs/promises';
import { isAbsolute, join, relative, sep } from 'node:path';

/** The scheme under which a sheet and the files of its folder are named: relative references stay in it. */
export const SHEET_SCHEME = 'sheet:';

/** Most bytes of a file that a sheet refers to. */
const MOST_BYTES = 16 * 1024 ** 2;

/** The attribute in a sheet. */
const RAW_TEXT = 'disable-output-escaping';

/** What a sheet may read: the files of its folder, by `fetch` with URLs such as `sheet:///lookup.xml`. */
export class FolderFetch {
  readonly #folder: string;
  readonly #files = new Map<string, Promise<Uint8Array | string>>();
  #refusals: string[] = [];
  #haveRawTexts = false;

  /** @param folder its real path */
  constructor(folder: string) {
    this.#folder = folder;
  }

  /** What was refused since the last `clear`, each with its reason. */
  get refusals(): readonly string[] {
    return this.#refusals;
  }

  /** Takes the place of the global `fetch`. Each file is read once. */
  readonly fetch = async (input: unknown): Promise<Response> => {
    const url = String(input);
    let file = this.#files.get(url);
    if (file === undefined) {
      file = this.#read(url);
      this.#files.set(url, file);
    }
    const bytes = await file;
    if (typeof bytes !== 'string') return new Response(bytes as Uint8Array<ArrayBuffer>);
    this.#refusals.push(`${url}, which ${bytes}`);
    return new Response(undefined, { status: 403 });
  };

  /** Whether a file that was read may make texts that are written without escaping. */
  get haveRawTexts(): boolean {
    return this.#haveRawTexts;
  }

  clear(): void {
    this.#refusals = [];
  }

  /** Returns the reason when it cannot be read. */
  async #read(url: string): Promise<Uint8Array | string> {
    const parsed = URL.parse(url);
    if (parsed?.protocol !== SHEET_SCHEME || parsed.host !== '') return 'is not a file of its folder';
    const path = await realpath(join(this.#folder, decoded(parsed.pathname))).catch(() => undefined);
    if (path === undefined) return 'does not exist in its folder';
    const inFolder = relative(this.#folder, path);
    if (isAbsolute(inFolder) || inFolder === '..' || inFolder.startsWith(`..${sep}`)) {
      return 'is outside of its folder';
    }
    const found = await stat(path);
    if (!found.isFile()) return 'is not a file';
    if (found.size > MOST_BYTES) return `has more than ${MOST_BYTES / 1024 ** 2} MB`;
    const bytes = await readFile(path);
    this.#haveRawTexts ||= bytes.includes(RAW_TEXT);
    return bytes;
  }
}

function decoded(path: string): string {
  try {
    return decodeURIComponent(path);
  } catch {
    return path;
  }
}
