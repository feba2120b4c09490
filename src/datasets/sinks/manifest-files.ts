import { isTidemarkError } from '../../core/errors.ts';
import type { Datasets } from '../datasets.ts';
import type { ManifestFile } from '../manifest.ts';
import type { DocumentWithResult } from './result-row.ts';

/**
 * The files of the manifest of a result. One that is damaged or was removed does not keep its result back.
 * @throws TidemarkError `unavailable` when the artifact store does not answer
 */
export async function manifestFilesOf(
  document: DocumentWithResult,
  datasets: Pick<Datasets, 'manifest'>,
  onMissing: (reason: string) => void,
): Promise<readonly ManifestFile[] | undefined> {
  try {
    return (await datasets.manifest(document))?.files;
  } catch (error) {
    if (!isTidemarkError(error) || error.code === 'unavailable') throw error;
    onMissing(error.message);
    return undefined;
  }
}
