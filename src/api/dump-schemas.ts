import * as z from 'zod';
import { count, datetime, uri } from './common-schemas.ts';

/** The shapes of dumps in the JSON API. */

const missing = count.describe('Resources that changed while they were packed: the next build packs them.');

const packageSchema = z
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

const changePackageSchema = z
  .strictObject({
    name: z.string(),
    uri: uri.describe('The ZIP file.'),
    contents: uri.describe('Its manifest.'),
    window: z.string().describe('The part of the Change List that it has changes of.'),
    from: datetime.describe('It has every change since this time.'),
    until: datetime,
    changes: count,
    length: count.describe('Bytes.'),
    sha256: z.string(),
    completed: datetime,
  })
  .meta({ id: 'ChangePackage', description: 'A package of a Change Dump.' });

export const changeDumpSchema = z
  .strictObject({
    set: z.string(),
    from: datetime.describe('It has every change since this time.'),
    until: datetime,
    totals: z
      .strictObject({ windows: count, packages: count, changes: count, bytes: count })
      .describe('Of all packages.'),
    packages: z.array(changePackageSchema).describe('In the order of their changes.'),
    next: z.string().optional().describe('Send it as `after` for what follows. Absent when nothing does.'),
  })
  .meta({ id: 'ChangeDump', description: 'A Change Dump.' });

export const removedDumpSchema = z
  .strictObject({ set: z.string(), removed: count.describe('Packages, also those that were superseded.') })
  .meta({ id: 'RemovedDump' });

export type ChangeDumpView = z.infer<typeof changeDumpSchema>;
export type DumpView = z.infer<typeof dumpSchema>;
