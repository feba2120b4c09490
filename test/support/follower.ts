import assert from 'node:assert/strict';
import { setTimeout as wait } from 'node:timers/promises';
import type { ListedResource, ReadResourceList, SetReader } from './set-reader.ts';

/**
 * Keeps a copy of a set in sync: the Resource List once, then every change after its `at`, in the order of the Change
 * Lists. Held against promises on the way: no change shows up late, and nothing is created twice in a row.
 */
export class Follower {
  readonly #reader: SetReader;
  /** What the Resource List held at the beginning. */
  readonly baseline: ReadResourceList;
  /** By URI. */
  readonly copy: Map<string, ListedResource>;
  /** Whatever was changed after this is not in the copy yet. */
  reached: string;
  applied = 0;

  private constructor(reader: SetReader, baseline: ReadResourceList) {
    this.#reader = reader;
    this.baseline = baseline;
    this.copy = new Map(baseline.resources);
    this.reached = baseline.at;
  }

  static async start(reader: SetReader): Promise<Follower> {
    return new Follower(reader, await reader.resourceList());
  }

  /** Applies what is new, and returns how many changes that were. */
  async step(): Promise<number> {
    const before = this.applied;
    for (const { changes, uri: window } of await this.#reader.changeWindows(this.reached)) {
      for (const { uri, length, change, datetime } of changes) {
        // Windows overlap with what was read of them before, when they were open.
        if (datetime <= this.reached) continue;
        assert.ok(change !== 'created' || !this.#created.has(uri), `${uri} is created a second time in ${window}`);
        if (change === 'deleted') this.#remove(uri);
        else this.#put(uri, length);
        this.reached = datetime;
        this.applied += 1;
      }
    }
    return this.applied - before;
  }

  /** Follows until a step brings nothing new after `done` is aborted. */
  async follow(done: AbortSignal, pause = 0): Promise<void> {
    for (;;) {
      const last = done.aborted;
      if ((await this.step()) === 0 && last) return;
      if (!last) await wait(pause);
    }
  }

  /** When no client posts any more, its copy is what the Resource List says. */
  async requireEqual(): Promise<void> {
    while ((await this.step()) > 0);
    const { resources } = await this.#reader.resourceList();
    const sorted = [...this.copy.values()].sort((a, b) => (a.uri < b.uri ? -1 : 1));
    assert.deepEqual(sorted, [...resources.values()]);
    await this.#reader.requireClosedUnchanged();
  }

  /** What changes have brought since the beginning; the Resource List may have known of them already. */
  readonly #created = new Set<string>();

  #put(uri: string, length: number | undefined): void {
    this.copy.set(uri, { uri, length });
    this.#created.add(uri);
  }

  #remove(uri: string): void {
    this.copy.delete(uri);
    this.#created.delete(uri);
  }
}
