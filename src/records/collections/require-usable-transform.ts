import { isTransformFile } from '../transforms/load-transform.ts';

/** No record is transformed here. */
const RECORD_TIMEOUT_MS = 10_000;

/**
 * Requires that the file of a transform, if it is one, can be read and used. It is loaded as a harvest does it.
 * @param transform with the whole path of a file
 * @throws TidemarkError `invalid`
 */
export async function requireUsableTransform(transform: string | undefined): Promise<void> {
  if (transform === undefined || !isTransformFile(transform)) return;
  const { openXmlTransform } = await import('../transforms/xml-transform.ts');
  const { signal } = new AbortController();
  const opened = await openXmlTransform({ text: transform, folder: '.', recordTimeoutMs: RECORD_TIMEOUT_MS, signal });
  opened.close();
}
