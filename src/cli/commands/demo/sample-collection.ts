import { appendFile, mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';

const REGIONS = ['alps', 'andes', 'arctic', 'balkans', 'caucasus', 'himalaya'] as const;
const SHEETS_PER_REGION = 4;

/**
 * A folder of made-up records of maps, which changes in small steps, always in the same order. Users may change it
 * meanwhile: removed files are made again.
 */
export class SampleCollection {
  readonly #folder: string;
  readonly #sheets: string[] = [];
  #steps = 0;
  #made = 0;

  constructor(folder: string) {
    this.#folder = folder;
  }

  /** Makes the first files. */
  async make(): Promise<void> {
    await this.#write('README.txt', 'A made-up collection: tidemark demo changes it every few seconds.\n');
    for (const region of REGIONS) {
      for (let sheet = 1; sheet <= SHEETS_PER_REGION; sheet++) await this.#add(region);
    }
  }

  /** Changes some files. Returns a description for users. */
  async change(): Promise<string> {
    const step = this.#steps++;
    const region = REGIONS[step % REGIONS.length]!;
    // Not the oldest file, which may be removed or moved below.
    const edited = this.#sheets[1 + ((step * 7) % (this.#sheets.length - 1))]!;
    await mkdir(dirname(join(this.#folder, edited)), { recursive: true });
    await appendFile(join(this.#folder, edited), `Note ${step + 1}: surveyed again.\n`);
    switch (step % 3) {
      case 0:
        return `edited ${edited}, added ${await this.#add(region)}`;
      case 1:
        return `edited ${edited}, removed ${await this.#remove()}`;
      default:
        return `edited ${edited}, moved ${await this.#move()}`;
    }
  }

  async #add(region: string): Promise<string> {
    this.#made += 1;
    const path = `${region}/sheet-${String(this.#made).padStart(3, '0')}.txt`;
    await this.#write(path, `Sheet ${this.#made} of a map of the ${region}.\nScale 1:50,000\n`);
    this.#sheets.push(path);
    return path;
  }

  /** Removes the oldest file. */
  async #remove(): Promise<string> {
    const path = this.#sheets.shift()!;
    await rm(join(this.#folder, path), { force: true });
    return path;
  }

  async #move(): Promise<string> {
    const from = this.#sheets.shift()!;
    const to = from.startsWith('revised/')
      ? from.replace('revised/', 'revised/again-')
      : `revised/${from.replace('/', '-')}`;
    await this.#write(to, await readFile(join(this.#folder, from), 'utf8').catch(() => 'Made again.\n'));
    await rm(join(this.#folder, from), { force: true });
    this.#sheets.push(to);
    return `${from} to ${to}`;
  }

  async #write(path: string, text: string): Promise<void> {
    const file = join(this.#folder, path);
    await mkdir(dirname(file), { recursive: true });
    await writeFile(file, text);
  }
}
