import { chmodSync, mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { join } from 'node:path';

/** A folder for the data of one bench, on the disk of the checkout: `/tmp` may be memory. */
export class TemporaryFolder {
  readonly path: string;
  #count = 0;

  constructor() {
    const parent = join(import.meta.dirname, '../../../.bench');
    mkdirSync(parent, { recursive: true });
    this.path = mkdtempSync(join(parent, 'run-'));
    // Servers that root starts run as another user, who must be able to enter their own folder in it.
    chmodSync(this.path, 0o711);
  }

  /** A path that nothing else uses. */
  next(name: string): string {
    this.#count += 1;
    return join(this.path, `${this.#count}-${name}`);
  }

  remove(): void {
    rmSync(this.path, { recursive: true, force: true });
  }
}
