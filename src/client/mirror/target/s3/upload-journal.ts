import { closeSync, fsyncSync, mkdirSync, openSync, readdirSync, readFileSync, rmSync, writeSync } from 'node:fs';
import { join } from 'node:path';

/**
 * Which objects are being uploaded in parts, in a local folder with a file for each: what a killed process leaves can
 * be found and aborted, also when it never got the answer with the id of its upload. Uploads of other programs are not
 * in it.
 */
export class UploadJournal {
  readonly #folder: string;

  constructor(folder: string) {
    this.#folder = folder;
    mkdirSync(folder, { recursive: true });
  }

  /** Names and paths of uploads that were not removed. */
  entries(): readonly { readonly name: string; readonly path: string }[] {
    const names = readdirSync(this.#folder);
    return names.map((name) => ({ name, path: readFileSync(join(this.#folder, name), 'utf8') }));
  }

  /** @param name of this upload alone */
  add(name: string, path: string): void {
    const fd = openSync(join(this.#folder, name), 'wx');
    try {
      writeSync(fd, path);
      fsyncSync(fd);
    } finally {
      closeSync(fd);
    }
  }

  remove(name: string): void {
    rmSync(join(this.#folder, name), { force: true });
  }
}
