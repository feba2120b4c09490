import { setTimeout as wait } from 'node:timers/promises';
import type { Catalog, CatalogDocument } from '../../stores/catalog.ts';
import { type Upload, uploadsOf } from './upload.ts';

/**
 * A dump needs a boundary at which no upload of its stream is being applied. When uploads come without a pause, the
 * process that makes the dump requests one by a document, which it puts again while it waits. Uploads that are being
 * applied continue; the next ones start when the pause has ended, or when the document was not put again for
 * `LAPSES_MS`: the process that makes the dump may be dead. So the clocks of two machines are never compared.
 */
interface Pause {
  /** Whether uploads have to wait. */
  readonly isOn: boolean;
  /** Milliseconds after which it ends without another put; `LAPSES_MS`, if undefined. */
  readonly lapsesMs?: number;
}

/** Milliseconds between two puts. */
const RENEW_MS = 2_000;
const LAPSES_MS = 15_000;
/** For a job that has given its place back: other jobs may be done before it is claimed again. */
const LAPSES_WHEN_LEFT_MS = 60_000;
const POLL_MS = 250;

/** Requests that no process starts to apply an upload of a stream. */
export class UploadPause {
  readonly #catalog: Pick<Catalog, 'get' | 'put'>;
  readonly #id: string;
  readonly #timer: NodeJS.Timeout;
  #last: Promise<void>;

  private constructor(catalog: Pick<Catalog, 'get' | 'put'>, id: string) {
    this.#catalog = catalog;
    this.#id = id;
    this.#last = this.#put({ isOn: true });
    this.#timer = setInterval(() => {
      this.#last = this.#last.then(() => this.#put({ isOn: true }));
    }, RENEW_MS);
  }

  /**
   * Resolves when uploads that start from now on wait.
   * @param dumped the set of dumps that it is for: a stream may have two dumps
   */
  static async begin(
    catalog: Pick<Catalog, 'get' | 'put'>,
    { organization, stream, dumped }: Pick<Upload, 'organization' | 'stream'> & { readonly dumped: string },
  ): Promise<UploadPause> {
    const pause = new UploadPause(catalog, `${uploadsOf(organization, stream)}${dumped}`);
    await pause.#last;
    return pause;
  }

  async end(): Promise<void> {
    clearInterval(this.#timer);
    await this.#last;
    await this.#put({ isOn: false });
  }

  /** Leaves it on for another attempt, which begins it again, perhaps in another process. */
  async leave(): Promise<void> {
    clearInterval(this.#timer);
    await this.#last;
    await this.#put({ isOn: true, lapsesMs: LAPSES_WHEN_LEFT_MS });
  }

  /**
   * Conflicts are ignored: when two processes make the same dump, the one that still waits puts the document again
   * soon. After another error of the store, the next put tries again, or the pause lapses.
   */
  async #put(pause: Pause): Promise<void> {
    try {
      const before = await this.#catalog.get<Pause>('upload-pause', this.#id);
      await this.#catalog.put('upload-pause', this.#id, pause, before?.version);
    } catch {
      // See above.
    }
  }
}

interface SeenPause {
  readonly version: number;
  /** Time on the monotonic clock of this process. */
  readonly since: number;
}

/** Whether uploads have to wait, for a process that applies them. */
export class UploadPauses {
  readonly #catalog: Pick<Catalog, 'latest'>;
  readonly #seen = new Map<string, SeenPause>();

  constructor(catalog: Pick<Catalog, 'latest'>) {
    this.#catalog = catalog;
  }

  /** Whether a dump waits for a boundary of the stream. */
  async isOn({ organization, stream }: Pick<Upload, 'organization' | 'stream'>): Promise<boolean> {
    const found = await this.#catalog.latest<Pause>('upload-pause', uploadsOf(organization, stream));
    return found.some((pause) => this.#lasts(pause));
  }

  /**
   * Resolves when no dump waits for a boundary, or after a time. Returns whether none waits.
   * @throws the signal's reason when it is aborted
   */
  async passed(
    upload: Pick<Upload, 'organization' | 'stream'>,
    {
      signal,
      mostMs = Number.POSITIVE_INFINITY,
    }: { readonly signal: AbortSignal; readonly mostMs?: number | undefined },
  ): Promise<boolean> {
    const end = performance.now() + mostMs;
    while (await this.isOn(upload)) {
      if (performance.now() >= end) return false;
      await wait(POLL_MS, undefined, { signal });
    }
    return true;
  }

  #lasts({ id, version, body }: CatalogDocument<Pause>): boolean {
    if (!body.isOn) return false;
    const now = performance.now();
    const seen = this.#seen.get(id);
    if (seen?.version === version) return now - seen.since < (body.lapsesMs ?? LAPSES_MS);
    this.#seen.set(id, { version, since: now });
    return true;
  }
}
