/** The algorithms of the ResourceSync attribute `hash`, strongest first. */
export const HASH_ALGORITHMS = ['sha-256', 'sha-1', 'md5'] as const;
export type HashAlgorithm = (typeof HASH_ALGORITHMS)[number];

/** Lower-case hex digests by algorithm. */
export type Hashes = Readonly<Partial<Record<HashAlgorithm, string>>>;

const HEX_LENGTH: Readonly<Record<HashAlgorithm, number>> = { 'sha-256': 64, 'sha-1': 40, md5: 32 };

export function isHashAlgorithm(name: string): name is HashAlgorithm {
  return Object.hasOwn(HEX_LENGTH, name);
}

/** The reason why a digest is invalid; undefined when it is valid. */
export function digestProblem(algorithm: HashAlgorithm, digest: string): string | undefined {
  const length = HEX_LENGTH[algorithm];
  if (digest.length === length && /^[0-9a-fA-F]+$/.test(digest)) return undefined;
  return `a ${algorithm} digest has ${length} hexadecimal digits`;
}
