import type { ResourceKey } from '../../core/key.ts';
import type { PackJob } from './pack-job.ts';
import { type PackedPart, PartWriter, type PartWriterParts, SpoiledPackage } from './part-writer.ts';
import type { Package } from './stored-dump.ts';

/**
 * Packs the resources of a page into one package, or several when it would be too large. A package becomes visible only
 * when it is complete, and its manifest lists exactly its contents.
 * @throws TidemarkError `unavailable` when much of the page cannot be read
 */
export async function packPage(job: PackJob, parts: PartWriterParts): Promise<readonly Package[]> {
  const packages: Package[] = [];
  for (let part = 1, from = job.range.from; ; part++) {
    const packed = await packPart({ ...job, range: { ...job.range, from } }, part, parts);
    packages.push(packed.package);
    if (packed.next === undefined) return packages;
    from = packed.next;
  }
}

async function packPart(job: PackJob, part: number, parts: PartWriterParts): Promise<PackedPart> {
  const missing = new Set<ResourceKey>();
  for (;;) {
    try {
      return await new PartWriter(job, parts, missing).write(part);
    } catch (error) {
      if (!(error instanceof SpoiledPackage)) throw error;
      // Nothing was stored. The resource is left out while its change is not recorded.
      const { key, stamp } = error.resource;
      const [current] = await parts.index.lookup(job.set, [key]);
      if (current?.stamp === stamp) missing.add(key);
    }
  }
}
