import type { Configuration } from '../../config/configuration.ts';
import { uriOf } from '../../core/key.ts';
import type { SetRegistry } from '../../sets/set-registry.ts';
import { manifestKey } from '../published-dataset.ts';
import type { RequestDocument, ResultPlatform } from '../request.ts';
import type { CopyPlaces } from './copies.ts';

interface Parts {
  readonly configuration: Pick<Configuration, 'datasetWeb' | 'datasetArchiveorgMetadata'>;
  readonly sets: Pick<SetRegistry, 'list'>;
}

const WAYBACK = 'https://web.archive.org/';

/** Where the copies of a stored dataset are. What a private set publishes is no address for others. */
export function placesOfSets({ configuration, sets }: Parts) {
  const items = new URL('download/', configuration.datasetArchiveorgMetadata).href;
  const captures = new URL('web/', configuration.datasetWeb ?? WAYBACK).href;
  return async ({ set: slug, result }: RequestDocument): Promise<CopyPlaces> => {
    const set = (await sets.list()).find((one) => one.slug === slug);
    const isPublic = set !== undefined && set.private !== true && result?.platform !== undefined;
    return { published: isPublic ? uriOf(set.urlPrefix, folderKey(result.platform!)) : undefined, items, captures };
  };
}

/** Ends with a slash. */
function folderKey(platform: ResultPlatform): string {
  return manifestKey({ platform }).replace(/[^/]+$/, '');
}
