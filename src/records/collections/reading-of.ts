import type { HarvestFields, Sender } from '../arrivals/upload.ts';
import type { Normalization } from '../forms/normalization.ts';
import type { Collection } from './collection.ts';
import type { HarvestRun } from './harvest-run.ts';

/** How the records of a collection are read: `OaiReading` of the form. NSDL's records are read as NSDL does. */
function readingOf(collection: Collection, format: string): Normalization {
  const { malformed, validate, requireUri, sets, handle, repository } = collection;
  const namespace = repository.formats.find(({ prefix }) => prefix === format)?.namespace;
  const transform = collection.transform ?? (handle !== undefined && format !== 'nsdl_dc' ? 'nsdl_dc' : undefined);
  return {
    ...{ kind: 'oai', format, malformed },
    ...(namespace !== undefined && { namespace }),
    ...(transform !== undefined && { transform }),
    ...(validate && { validate }),
    ...(requireUri && { requireUri }),
    ...(sets.length > 0 && { sets }),
    ...(handle !== undefined && { handle }),
  };
}

/** The fields of the upload of a run. */
export function harvestFields(
  collection: Collection,
  run: HarvestRun,
): HarvestFields & { readonly normalization: Normalization; readonly by: Sender } {
  const { kind, force, format = collection.format } = run;
  return {
    by: { name: 'harvest' },
    set: collection.id,
    normalization: readingOf(collection, format),
    ...(kind === 'full' && { unmentioned: 'deleted' as const }),
    ...(force && { acceptsDrop: true as const }),
  };
}
