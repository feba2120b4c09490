import type { DatabaseSync, StatementSync } from 'node:sqlite';
import type { Stamp } from '../../core/stamp.ts';

/** Numbers of the whole store. */
export class Settings {
  readonly #get: StatementSync;
  readonly #set: StatementSync;

  constructor(database: DatabaseSync) {
    this.#get = database.prepare('SELECT value FROM settings WHERE name = ?');
    this.#set = database.prepare('UPDATE settings SET value = ? WHERE name = ?');
  }

  /** The last stamp that was given to a change, or the one below the last boundary. */
  lastStamp(): Stamp {
    return this.#read('last_stamp');
  }

  setLastStamp(stamp: Stamp): void {
    this.#set.run(stamp, 'last_stamp');
  }

  /** Increments the version of catalog documents, and returns it. Call it in a transaction. */
  nextVersion(): number {
    const version = this.#read('last_version') + 1;
    this.#set.run(version, 'last_version');
    return version;
  }

  #read(name: string): number {
    return this.#get.get(name)!.value as number;
  }
}
