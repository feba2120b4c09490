import type { Readable } from 'node:stream';
import { type ArtifactLocation, openArtifacts } from '../../artifacts/open-artifacts.ts';
import { isTidemarkError, TidemarkError } from '../../core/errors.ts';
import { pathOfKey } from '../../core/key.ts';
import type { Resource } from '../../core/resource.ts';
import { openRoot } from '../../sources/open.ts';
import type { RootLocation } from '../../sources/root-location.ts';

/** Where the bytes of a set are; plain values, for threads. */
export type ContentsLocation =
  | { readonly kind: 'files'; readonly root: RootLocation }
  | { readonly kind: 'records'; readonly artifacts: ArtifactLocation };

/** The bytes of the resources of a set. */
export interface Contents {
  /**
   * Undefined when there is no such resource any more.
   * @throws TidemarkError `unavailable` when it cannot be read
   */
  open(resource: Resource): Promise<Content | undefined>;
  /** @throws TidemarkError `unavailable` when all of it is missing: a disk that is not mounted, for instance */
  requireThere(): Promise<void>;
  close(): Promise<void>;
}

/** An open resource. */
export interface Content {
  readonly length: number;
  /** All of them, when they were read already. */
  readonly bytes?: Uint8Array | undefined;
  /** It fails with `conflict` when the resource was changed since it was opened. The end of the stream closes it. */
  stream(): Readable;
  close(): Promise<void>;
}

export async function openContents(location: ContentsLocation): Promise<Contents> {
  return location.kind === 'files' ? filesOf(location.root) : recordsOf(location.artifacts);
}

function filesOf(location: RootLocation): Contents {
  const root = openRoot(location);
  return {
    async open({ key }) {
      const path = pathOfKey(key);
      if (path === undefined) return undefined;
      try {
        return await root.open(path);
      } catch (error) {
        if (isTidemarkError(error, 'not-found')) return undefined;
        throw error;
      }
    },
    async requireThere() {
      if (await root.isEmpty()) {
        throw new TidemarkError('unavailable', `${location.root} is empty: its resources cannot be packed`);
      }
    },
    async close() {},
  };
}

async function recordsOf(location: ArtifactLocation): Promise<Contents> {
  const artifacts = openArtifacts(location);
  const { RecordReader } = await import('../../sources/artifact/record-reader.ts');
  const reader = new RecordReader(artifacts);
  return {
    async open({ state: { record, hashes } }) {
      const digest = hashes?.['sha-256'];
      if (record === undefined || digest === undefined) return undefined;
      const { document } = await reader.read(record, digest);
      return {
        length: document.length,
        bytes: document,
        stream: () => {
          throw new Error('a record is in memory');
        },
        async close() {},
      };
    },
    async requireThere() {},
    close: () => artifacts.close(),
  };
}
