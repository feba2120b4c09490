import * as z from 'zod';

/** The shapes of dumps in the JSON API. */

const datetime = z.string().meta({ format: 'date-time' });
const uri = z.string().meta({ format: 'uri' });
const count = z.int().min(0);

const missing = count.describe('Resources that changed while they were packed: the next build packs them.');

export const packageSchema = z
  .strictObject({
    name: z.string(),
    uri: uri.describe('The ZIP file.'),
    contents: uri.describe('Its manifest.'),
    resources: count,
    missing,
    length: count.describe('Bytes.'),
    sha256: z.string(),
    at: datetime.describe('Every change of its resources up to this time is in it.'),
    completed: datetime,
  })
  .meta({ id: 'Package', description: 'A package of a Resource Dump.' });

export const dumpSchema = z
  .strictObject({
    set: z.string(),
    at: datetime.describe('Every change up to this time is in it.'),
    completed: datetime,
    totals: z.strictObject({ packages: count, resources: count, missing, bytes: count }).describe('Of all packages.'),
    packages: z.array(packageSchema).describe('In the order of the keys of their resources.'),
    next: z.string().optional().describe('Send it as `after` for what follows. Absent when nothing does.'),
  })
  .meta({ id: 'Dump', description: 'A Resource Dump.' });

export const removedDumpSchema = z
  .strictObject({ set: z.string(), removed: count.describe('Packages, also those that were superseded.') })
  .meta({ id: 'RemovedDump' });

export type PackageView = z.infer<typeof packageSchema>;
export type DumpView = z.infer<typeof dumpSchema>;
