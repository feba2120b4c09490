import type { ArtifactStore } from '../../artifacts/artifact-store.ts';
import { unlessConflict } from '../../core/errors.ts';
import { failpoint } from '../../lib/failpoint.ts';
import type { Catalog } from '../../stores/catalog.ts';
import { latestPages } from '../../stores/latest-pages.ts';
import { type Upload, uploadsOf } from '../arrivals/upload.ts';
import { filesOf, putUploadState, readUploadState, type UploadState } from '../arrivals/upload-state.ts';
import type { OrganizationRegistry } from '../organization-registry.ts';
import { PAGE } from './measure-stream.ts';

interface Parts {
  readonly catalog: Pick<Catalog, 'get' | 'put' | 'latest'>;
  readonly artifacts: Pick<ArtifactStore, 'delete'>;
  readonly organizations: Pick<OrganizationRegistry, 'list'>;
}

/**
 * Deletes the files of processed uploads that are older than `keptMs`, and of those of archived streams. Files of
 * harvests stay, since they can be read again. Returns the number of uploads.
 */
export async function removeOriginals(
  parts: Parts,
  {
    keptMs,
    signal,
    now = Date.now(),
  }: { readonly keptMs: number; readonly signal: AbortSignal; readonly now?: number },
): Promise<number> {
  if (keptMs === Number.POSITIVE_INFINITY) return 0;
  let removed = 0;
  for (const { id: organization, streams } of await parts.organizations.list()) {
    for (const { id: stream, archived, set } of streams) {
      if (set !== undefined) continue;
      const before = archived === undefined ? now - keptMs : Number.POSITIVE_INFINITY;
      const wanted = { kind: 'upload', prefix: uploadsOf(organization, stream), limit: PAGE } as const;
      for await (const { documents } of latestPages<Upload>(parts.catalog, wanted)) {
        signal.throwIfAborted();
        for (const { body } of documents) {
          if (body.received < before && (await removeOriginalsOf(parts, body))) removed += 1;
        }
      }
    }
  }
  return removed;
}

/** The state comes first: from then on, no door offers the files. What is left after a kill, a nightly job removes. */
async function removeOriginalsOf({ catalog, artifacts }: Parts, upload: Upload): Promise<boolean> {
  const before = await readUploadState(catalog, upload);
  if (before === undefined || !hasOriginals(upload, before.body)) return false;
  const body = { ...before.body, originalsRemoved: Date.now() };
  if ((await unlessConflict(putUploadState(catalog, upload, { body, before }))) === undefined) return false;
  failpoint('originals.recorded');
  for (const { artifact } of filesOf(upload, before.body)) await artifacts.delete(artifact);
  return true;
}

function hasOriginals(upload: Upload, state: UploadState): boolean {
  return state.applied !== undefined && state.originalsRemoved === undefined && filesOf(upload, state).length > 0;
}
