import type { ArtifactStore } from '../../artifacts/artifact-store.ts';
import { TidemarkError } from '../../core/errors.ts';
import type { SetId } from '../../core/resource-set.ts';
import type { KeptEntries, KeptPagePlace } from '../render/render-job.ts';
import { readKeptPage } from './keep-page.ts';
import type { ListManifest } from './list-manifest.ts';

/** Reads pages of archived lists. It caches the last manifest, since clients read a list page by page. */
export class KeptLists implements KeptEntries {
  readonly #artifacts: Pick<ArtifactStore, 'get'>;
  #last: { readonly name: string; readonly manifest: ListManifest } | undefined;

  constructor(artifacts: Pick<ArtifactStore, 'get'>) {
    this.#artifacts = artifacts;
  }

  /** The entries of a page as text, without head and end. @throws TidemarkError `unavailable` when they are missing */
  async *entries({ set, list, number }: KeptPagePlace): AsyncGenerator<string> {
    const page = (await this.#manifestOf(set, list)).pages[number];
    if (page === undefined) throw new TidemarkError('not-found', `the archived list ${list} has no page ${number + 1}`);
    yield* readKeptPage(this.#artifacts, set, page.name);
  }

  async #manifestOf(set: SetId, list: string): Promise<ListManifest> {
    const name = `${set}/${list}`;
    if (this.#last?.name === name) return this.#last.manifest;
    // Loaded on first use: its schema takes half of the start time of a render thread.
    const { readManifest } = await import('./list-manifest.ts');
    const manifest = await readManifest(this.#artifacts, set, list);
    if (manifest === undefined) {
      throw new TidemarkError('unavailable', `the archived list ${name} is missing from the artifact store`, { list });
    }
    this.#last = { name, manifest };
    return manifest;
  }
}
