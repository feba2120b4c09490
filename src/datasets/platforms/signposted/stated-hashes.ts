import { IngestFailure } from '../../ingest-failure.ts';
import type { StatedHash } from '../../manifest.ts';
import { type Node, textOf, valuesOf } from './json-ld.ts';

/** Hexadecimal digits of each algorithm. */
const DIGITS: Readonly<Record<string, number>> = { md5: 32, sha1: 40, sha256: 64, sha512: 128 };

/**
 * The hashes that a file of schema.org states: in `sha256` and members like it, or in `checksum`, as `md5:0f…` or as an
 * object with its algorithm (SPDX, RO-Crate).
 * @throws IngestFailure `bad-platform-reply` for a value that is no such hash
 */
export function statedHashes(file: Node, of: string): readonly StatedHash[] {
  const found = new Map<string, string>();
  for (const algorithm of Object.keys(DIGITS)) {
    const [value] = valuesOf(file, algorithm);
    if (textOf(value) !== undefined) found.set(algorithm, textOf(value)!);
  }
  for (const checksum of valuesOf(file, 'checksum')) {
    const [algorithm, digest] = checksumOf(checksum);
    if (algorithm in DIGITS && digest !== undefined && !found.has(algorithm)) found.set(algorithm, digest);
  }
  return [...found].map(([algorithm, text]) => ({ algorithm, digest: parseDigest(algorithm, text, of) }));
}

function checksumOf(checksum: unknown): readonly [string, string | undefined] {
  if (typeof checksum !== 'object' || checksum === null) {
    const [, name = '', digest] = /^([\w-]+)\s*[:=]\s*(\S+)$/.exec(textOf(checksum) ?? '') ?? [];
    return [plainName(name), digest];
  }
  const member = (...names: readonly string[]) =>
    names.map((name) => textOf(valuesOf(checksum as Node, name)[0])).find((text) => text !== undefined);
  const name = member('algorithm', 'checksumAlgorithm', 'name') ?? '';
  return [plainName(name), member('checksumValue', 'value')];
}

/** `SHA-256` and `http://spdx.org/rdf/terms#checksumAlgorithm_sha256` as `sha256`. */
function plainName(name: string): string {
  return name
    .replace(/^.*[_#/]/, '')
    .replaceAll('-', '')
    .toLowerCase();
}

function parseDigest(algorithm: string, text: string, of: string): string {
  const digest = text.toLowerCase().replace(new RegExp(`^${algorithm}:`), '');
  if (digest.length === DIGITS[algorithm] && /^[0-9a-f]+$/.test(digest)) return digest;
  const shown = JSON.stringify(text.slice(0, 140));
  const message = `the page states ${shown} as the ${algorithm} of ${of}: ${DIGITS[algorithm]} hexadecimal digits are expected`;
  throw new IngestFailure('bad-platform-reply', message);
}
