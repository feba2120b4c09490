import type { StoredCopy } from '../archiving.ts';
import type { PlatformFile } from '../manifest.ts';
import { isHtml, isReplaced } from './judge-response.ts';

/** What came of a file, compared with what its platform says of it (D26). */
export interface Compared {
  readonly status:
    | 'success'
    | 'unverified'
    | 'accepted-mismatch'
    | 'blocked-challenge'
    | `mismatch-${'size' | 'md5' | 'sha1' | 'sha256' | 'other'}`;
  /** Both values, and what to do. Absent for a success. */
  readonly message?: string;
}

interface Difference {
  readonly status: `mismatch-${'size' | 'md5' | 'sha1' | 'sha256' | 'other'}`;
  /** `has 3 bytes, and the platform states 4` */
  readonly text: string;
}

type Came = Pick<StoredCopy, 'size' | 'hashes' | 'otherHashes' | 'mimetype'>;

/**
 * Compares size and hashes. A digest by an algorithm that this program does not know is not compared; a file of which
 * nothing is left to compare is `unverified`. HTML that differs is a page of a firewall in place of the file (d17).
 * @param acceptMismatch stores what differs, marked (d13)
 */
export function compareWithManifest(file: PlatformFile, came: Came, acceptMismatch: boolean): Compared {
  const difference = differenceOf(file, came);
  if (difference === undefined) return unlessUnverified(file, came);
  const text = `${file.path} ${difference.text}`;
  if (isReplaced(file, came.mimetype, acceptMismatch)) {
    return { status: 'blocked-challenge', message: `${text}: a page of HTML came in its place. ${OPEN_IN_BROWSER}` };
  }
  if (acceptMismatch) return { status: 'accepted-mismatch', message: `${text}; it was stored by --accept-mismatch` };
  return { status: difference.status, message: `${text}: ${REPORT_IT}` };
}

const OPEN_IN_BROWSER = 'Open its URL in a browser, and ask the platform to let this program fetch it';
const REPORT_IT = 'try again, and report it to the platform when it stays so; --accept-mismatch stores it, marked';

function differenceOf({ size, hashes }: PlatformFile, came: Came): Difference | undefined {
  if (size !== undefined && size !== came.size) {
    return { status: 'mismatch-size', text: `has ${came.size} bytes, and the platform states ${size}` };
  }
  for (const { algorithm, digest } of hashes) {
    const computed = digestOf(came, algorithm);
    if (computed === undefined || computed === digest.toLowerCase()) continue;
    return { status: statusOf(algorithm), text: `has the ${algorithm} ${computed}, and the platform states ${digest}` };
  }
  return undefined;
}

function unlessUnverified(file: PlatformFile, came: Came): Compared {
  const isVerified =
    file.size !== undefined || file.hashes.some(({ algorithm }) => digestOf(came, algorithm) !== undefined);
  if (isVerified) return { status: 'success' };
  const replaced = isHtml(came.mimetype) && file.mimetype !== undefined && !isHtml(file.mimetype);
  if (!replaced) {
    const message = `the platform states neither the size of ${file.path} nor a hash that is known here, so it was not compared`;
    return { status: 'unverified', message };
  }
  const message = `${file.path} is ${file.mimetype} by its platform, but a page of HTML came in its place. ${OPEN_IN_BROWSER}`;
  return { status: 'blocked-challenge', message };
}

function digestOf({ hashes, otherHashes }: Came, algorithm: string): string | undefined {
  switch (algorithm) {
    case 'md5':
      return hashes.md5;
    case 'sha1':
      return hashes['sha-1'];
    case 'sha256':
      return hashes['sha-256'];
    default:
      return otherHashes?.[algorithm];
  }
}

function statusOf(algorithm: string): Difference['status'] {
  return algorithm === 'md5' || algorithm === 'sha1' || algorithm === 'sha256'
    ? `mismatch-${algorithm}`
    : 'mismatch-other';
}
