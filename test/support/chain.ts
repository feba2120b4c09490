import { createHash } from 'node:crypto';
import { setTimeout as wait } from 'node:timers/promises';
import { ask } from './ask.ts';
import { type RunningTidemark, type RunOptions, startProcess } from './run-tidemark.ts';
import type { TempFolder } from './temp-folder.ts';
import { until } from './until.ts';

/** A server in a process of its own, which is killed and started again. */
export class KilledServer {
  readonly url: string;
  readonly #args: readonly string[];
  readonly #options: RunOptions;
  #running: RunningTidemark | undefined;

  constructor(port: number, args: readonly string[], options: RunOptions) {
    this.url = `http://localhost:${port}`;
    this.#args = [...args, '--port', String(port)];
    this.#options = options;
  }

  /** Resolves when it answers. */
  async start(): Promise<void> {
    this.#running = startProcess(this.#args, this.#options);
    await this.#running.says(/http:\/\/localhost:\d+/);
  }

  /** As `kill -9`. */
  async kill(): Promise<void> {
    await this.#running?.kill();
  }

  get stderr(): string {
    return this.#running?.stderr ?? '';
  }
}

/** What a set publishes, by the part of each URI below the set: the hash of its entry, and where it came from. */
export async function publishedIn(setUrl: string): Promise<Readonly<Record<string, Published>> | undefined> {
  try {
    const { status, text } = await ask(`${setUrl}/resourcelist.xml`);
    if (status !== 200) return undefined;
    const entries = [...text.matchAll(/<url><loc>(.*?)<\/loc>(.*?)<\/url>/g)].map(([, uri, rest]) => {
      const [, hash] = /hash="sha-256:(\w+)"/.exec(rest!) ?? [];
      const [, via] = /<rs:ln rel="via" href="(.*?)"/.exec(rest!) ?? [];
      return [uri!.replace(/^.*\/resources\//, ''), { uri: uri!, hash, via }] as const;
    });
    return Object.fromEntries(entries.sort(([one], [other]) => (one < other ? -1 : 1)));
  } catch {
    return undefined;
  }
}

export interface Published {
  readonly uri: string;
  readonly hash: string | undefined;
  readonly via: string | undefined;
}

/** Each name with its hash, as text. */
export const hashesOf = (published: Readonly<Record<string, Published>> | undefined): string =>
  JSON.stringify(published && Object.entries(published).map(([name, { hash }]) => [name, hash]));

/** Waits until two sets publish the same. Returns what the second one publishes. */
export async function untilEqual(one: string, other: string): Promise<Readonly<Record<string, Published>>> {
  return until(`${other} is equal to ${one}`, async () => {
    const [first, second] = [await publishedIn(one), await publishedIn(other)];
    return first !== undefined && second !== undefined && hashesOf(first) === hashesOf(second) && second;
  });
}

/** Those whose bytes are not what their entry says. */
export async function wrongBytes(published: Readonly<Record<string, Published>>): Promise<readonly string[]> {
  const wrong: string[] = [];
  for (const [name, { uri, hash }] of Object.entries(published)) {
    const { status, bytes } = await ask(uri);
    if (status !== 200 || createHash('sha256').update(bytes).digest('hex') !== hash) wrong.push(name);
  }
  return wrong;
}

/** Writes, overwrites, moves and removes files until the signal. */
export async function changeFiles(place: TempFolder, folder: string, signal: AbortSignal): Promise<void> {
  for (let number = 0; !signal.aborted; number++) {
    const path = `${folder}/${number % 5}/${(number * 13) % 60}.txt`;
    place.write(path, `changed ${number}`);
    if (number % 7 === 1) place.remove(path);
    if (number % 11 === 3) place.write(`${folder}/new/M%C3 ${number % 30} ü.bin`, 'x'.repeat(number % 5_000));
    await wait(10);
  }
}
