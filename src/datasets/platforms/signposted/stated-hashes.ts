import type { StatedHash } from '../../manifest.ts';
import { type Node, textOf, valuesOf } from './json-ld.ts';

const ALGORITHMS = ['md5', 'sha1', 'sha256', 'sha512'];

/**
 * The hashes that a file of schema.org states: in `sha256` and members like it, or in `checksum`, as `md5:0f…` or as an
 * object with its algorithm (SPDX, RO-Crate). checked-manifest.ts checks them.
 */
export function statedHashes(file: Node): readonly StatedHash[] {
  const members = ALGORITHMS.map((algorithm) => [algorithm, textOf(valuesOf(file, algorithm)[0])] as const);
  const found = new Map<string, string>();
  for (const [algorithm, digest] of [...members, ...valuesOf(file, 'checksum').map(checksumOf)]) {
    if (algorithm !== '' && digest !== undefined && !found.has(algorithm)) found.set(algorithm, digest);
  }
  return [...found].map(([algorithm, digest]) => ({ algorithm, digest: digest.replace(`${algorithm}:`, '') }));
}

function checksumOf(checksum: unknown): readonly [algorithm: string, digest: string | undefined] {
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
