import { type DraftPlace, newDraftName, writeDraft } from '../../artifacts/drafts.ts';
import { PackBuilder } from '../../artifacts/version-pack.ts';
import type { FileDigest, PackedCopy } from '../content-root.ts';

/** The memory of the packs of this thread. */
const builder = new PackBuilder();

/** Writes the copies of the files of a call together, as the draft of one pack. */
export class CopyPacker {
  readonly #draft = newDraftName();
  #place: DraftPlace | undefined;

  /** @param place the same for all copies of a call */
  add(place: DraftPlace, { hashes, mtime }: Pick<FileDigest, 'hashes' | 'mtime'>, bytes: Uint8Array): PackedCopy {
    this.#place = place;
    const version = { digest: hashes['sha-256']!, modified: Number(mtime / 1_000_000_000n) };
    return { draft: this.#draft, offset: builder.add(version, bytes) };
  }

  /** @throws TidemarkError `unavailable` when the draft cannot be written: none of the copies exists then */
  write(): void {
    if (this.#place !== undefined) writeDraft(this.#place, this.#draft, builder.finish());
  }
}
