import type { Catalog } from '../../stores/catalog.ts';
import { lastUpload } from '../arrivals/record-upload.ts';
import { StoredDumps } from '../dumps/stored-dumps.ts';
import type { OrganizationRegistry } from '../organization-registry.ts';
import { closeStream } from './close-stream.ts';
import type { StreamRemovals } from './stream-removals.ts';

interface Parts {
  readonly catalog: Pick<Catalog, 'get' | 'put' | 'latest'>;
  readonly organizations: Pick<OrganizationRegistry, 'list'>;
  readonly streamRemovals: Pick<StreamRemovals, 'beginStream' | 'endStream'>;
}

/**
 * Removes streams that are neither the default nor of a collection, and have had no upload and no dump for a time.
 * Returns what was removed: `lane/main`. An upload that comes meanwhile keeps its stream.
 */
export async function expireStreams(
  { catalog, organizations, streamRemovals }: Parts,
  { unusedMs, signal, now = Date.now() }: ExpiryOptions,
): Promise<readonly string[]> {
  const removed: string[] = [];
  if (unusedMs === Number.POSITIVE_INFINITY) return removed;
  for (const { id: organization, defaultStream, streams, removing: whole } of await organizations.list()) {
    for (const { id: stream, created, set, removing } of streams) {
      if (stream === defaultStream || set !== undefined || (removing ?? whole) !== undefined) continue;
      signal.throwIfAborted();
      const name = { organization, stream };
      const last = await lastUpload(catalog, name);
      const dump = (await new StoredDumps(catalog).listed(name)).at(-1);
      // One that is closed already was left by a process that was killed.
      const used = last?.ofRemovedStream ? 0 : Math.max(created, last?.received ?? 0, dump?.at ?? 0);
      if (used >= now - unusedMs || !(await closeStream(catalog, name, { last }))) continue;
      await streamRemovals.beginStream(name);
      await streamRemovals.endStream(name, signal);
      removed.push(`${organization}/${stream}`);
    }
  }
  return removed;
}

interface ExpiryOptions {
  /** Milliseconds; Infinity for never. */
  readonly unusedMs: number;
  readonly signal: AbortSignal;
  readonly now?: number | undefined;
}
