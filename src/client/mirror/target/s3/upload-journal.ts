import { closeSync, fsyncSync, mkdirSync, openSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { writeAllSync } from '../../../../lib/files/write-all.ts';

/**
 * Lists the multipart uploads in progress, one file each in a local folder, so that the uploads of a killed process can
 * be aborted, even if the response with the id of the upload never arrived. Uploads of other programs are not in it.
 */
export class UploadJournal {
  readonly #folder: string;

  constructor(folder: string) {
    this.#folder = folder;
    mkdirSync(folder, { recursive: true });
  }

  /** Names and paths of the uploads in the journal. */
  entries(): readonly { readonly name: string; readonly path: string }[] {
    const names = readdirSync(this.#folder);
    return names.map((name) => ({ name, path: readFileSync(join(this.#folder, name), 'utf8') }));
  }

  /**
   * Adds an upload.
   * @param name a unique name of this upload
   */
  add(name: string, path: string): void {
    const fd = openSync(join(this.#folder, name), 'wx');
    try {
      writeAllSync(fd, Buffer.from(path));
      fsyncSync(fd);
    } finally {
      closeSync(fd);
    }
  }

  remove(name: string): void {
    rmSync(join(this.#folder, name), { force: true });
  }
}
