import type { ArtifactStore, ObjectKey } from '../../artifacts/artifact-store.ts';
import { isTidemarkError, unlessConflict } from '../../core/errors.ts';
import type { Catalog } from '../../stores/catalog.ts';
import type { Upload } from '../arrivals/upload.ts';
import {
  putUploadState,
  readUploadState,
  type StoredUploadState,
  type UploadState,
  wasRemoved,
} from '../arrivals/upload-state.ts';
import type { Attempt } from './attempt.ts';

interface Parts {
  readonly catalog: Pick<Catalog, 'get' | 'put'>;
  readonly artifacts: Pick<ArtifactStore, 'delete'>;
}

/** The fields to add to a state; false when it already has them. */
type Added = (before: UploadState) => Partial<UploadState> | false;

/** The state of an upload while an attempt processes it. Other processes may record steps of it, too. */
export class RecordedSteps {
  readonly #parts: Parts;
  readonly #upload: Upload;
  readonly #attempt: Pick<Attempt, 'confirm'>;
  #state: StoredUploadState | undefined;

  constructor(parts: Parts, upload: Upload, attempt: Pick<Attempt, 'confirm'>) {
    this.#parts = parts;
    this.#upload = upload;
    this.#attempt = attempt;
  }

  get body(): UploadState {
    return this.#state?.body ?? {};
  }

  /** @throws TidemarkError `gone` when the upload was removed */
  async read(): Promise<void> {
    this.#state = await readUploadState(this.#parts.catalog, this.#upload);
    this.#requireKept();
  }

  /**
   * Adds to the state, unless another process already has: its values then count.
   * @throws TidemarkError `gone` when the upload was removed: nothing more of it is stored
   */
  async record(added: Added): Promise<UploadState> {
    const { catalog } = this.#parts;
    for (;;) {
      this.#requireKept();
      const more = added(this.body);
      if (more === false) return this.body;
      await this.#confirm(more);
      const { failure: _, read, ...others } = this.body;
      // What was read belongs to what was fetched.
      const kept = read === undefined || more.fetched !== undefined ? others : { ...others, read };
      const change = { body: { ...kept, ...more }, before: this.#state };
      const put = await unlessConflict(putUploadState(catalog, this.#upload, change));
      this.#state = put ?? (await readUploadState(catalog, this.#upload));
      if (put !== undefined) return put.body;
    }
  }

  /** The same with artifacts of this attempt. Those that the state does not name are deleted. */
  async recordMade<Field extends 'fetched' | 'read'>(
    field: Field,
    made: NonNullable<UploadState[Field]>,
    { isMissing, artifactsOf }: MadeStep<NonNullable<UploadState[Field]>>,
  ): Promise<NonNullable<UploadState[Field]>> {
    try {
      const state = await this.record((before) => isMissing(before) && { [field]: made });
      const recorded = state[field]!;
      await this.#remove(artifactsOf(made), artifactsOf(recorded));
      return recorded;
    } catch (error) {
      if (isTidemarkError(error, 'gone')) await this.#remove(artifactsOf(made), []);
      throw error;
    }
  }

  /** @throws TidemarkError `gone` when the upload was removed */
  #requireKept(): void {
    if (this.body.removed !== undefined) throw wasRemoved(this.#upload, this.body.removed);
  }

  /**
   * Nothing is published of an upload whose job was cancelled, and its failure stays when its job has ended. What a
   * cancelled job records before that is of use to the next one.
   */
  async #confirm({ applying }: Partial<UploadState>): Promise<void> {
    if (applying !== undefined || this.body.failure?.isFinal) await this.#attempt.confirm?.();
  }

  /** Another attempt was faster. A nightly job removes those that cannot be removed now. */
  async #remove(own: readonly ObjectKey[], named: readonly ObjectKey[]): Promise<void> {
    for (const key of own) if (!named.includes(key)) await this.#parts.artifacts.delete(key).catch(() => {});
  }
}

interface MadeStep<Made> {
  /** Whether a state does not have what was made, or has something that is of no use. */
  isMissing(before: UploadState): boolean;
  artifactsOf(made: Made): readonly ObjectKey[];
}
