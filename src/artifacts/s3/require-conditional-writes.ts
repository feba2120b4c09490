import { TidemarkError } from '../../core/errors.ts';
import { failureOf, serverOf } from '../../lib/s3/s3-failure.ts';
import type { NewObject, WriteRequests } from '../../lib/s3/write-requests.ts';

/** The prefix of keys of probes. No key of an artifact begins with a dot, so no list of artifacts contains them. */
export const PROBE = '.probe-';
/** Number of concurrent writers of one object. */
const WRITERS = 4;

/**
 * Requires that the server honours `If-None-Match: *`: only that keeps two processes from overwriting an artifact.
 * Several writers write one small object at the same time, and another one afterwards; at most one of them may succeed.
 * Then the object is deleted. A server that only sometimes lets two concurrent writers succeed may pass.
 * @throws TidemarkError `unavailable`
 */
export async function requireConditionalWrites(requests: WriteRequests): Promise<void> {
  const id = crypto.randomUUID();
  const object = { path: `${PROBE}${id}`, contentType: 'text/plain', id };
  try {
    const writers = Array.from({ length: WRITERS }, () => isWritten(requests, object));
    const outcomes = [...(await Promise.all(writers)), await isWritten(requests, object)];
    if (outcomes.filter((written) => written).length > 1) throw ignoresConditions(requests);
  } finally {
    // Without the permission to delete, the object remains.
    await requests.delete(object.path).catch(() => {});
  }
}

/** Whether the server accepted a conditional write. */
async function isWritten(requests: WriteRequests, object: NewObject): Promise<boolean> {
  try {
    await requests.put(object, new Uint8Array(0));
    return true;
  } catch (error) {
    const { status, name } = failureOf(error);
    // 409: Amazon rejects writers while another one writes the same object.
    if (status === 412 || status === 409) return false;
    if (status === 501 || name === 'NotImplemented') throw ignoresConditions(requests);
    throw requests.bucket.errorOf(error);
  }
}

function ignoresConditions({ bucket }: WriteRequests): TidemarkError {
  const { location } = bucket;
  const message = `${serverOf(location)} does not honour conditional writes (If-None-Match: *)`;
  const cure = 'without them a second process could overwrite an artifact; docs/artifacts.md lists servers that do';
  return new TidemarkError('unavailable', `the artifact store ${bucket.name} cannot be used: ${message}; ${cure}`, {
    artifacts: bucket.name,
  });
}
