import { TidemarkError } from '../core/errors.ts';
import { digestProblem, HASH_ALGORITHMS, type HashAlgorithm, type Hashes, isHashAlgorithm } from '../core/hash.ts';

type Digests = string | readonly string[];

interface Claim {
  readonly algorithm: HashAlgorithm;
  readonly digest: string;
  readonly field: string;
}

/**
 * The digests of a posted event. Both `md5` and `hash` may be given if they do not contradict each other.
 * @param at prefix of the names of the fields
 * @throws TidemarkError `invalid`, with the field at fault and a code
 */
export function postedHashes(md5: Digests | undefined, hash: Digests | undefined, at = ''): Hashes | undefined {
  if (md5 === undefined && hash === undefined) return undefined;
  const hashes: Partial<Record<HashAlgorithm, string>> = {};
  const claims = [...claimsOf(md5, 'md5', `${at}md5`), ...claimsOf(hash, 'hash', `${at}hash`)];
  for (const { algorithm, digest, field } of claims) {
    const known = hashes[algorithm];
    if (known !== undefined && known !== digest) {
      throw wrong(
        field,
        'contradicting-hashes',
        `says that the ${algorithm} is ${digest}, and elsewhere it is ${known}`,
      );
    }
    hashes[algorithm] = digest;
  }
  return hashes;
}

function claimsOf(digests: Digests | undefined, kind: 'md5' | 'hash', field: string): readonly Claim[] {
  if (digests === undefined) return [];
  if (typeof digests === 'string') return claimsOfText(digests, kind, field);
  return digests.flatMap((text, at) => claimsOfText(text, kind, `${field}[${at}]`));
}

function claimsOfText(text: string, kind: 'md5' | 'hash', field: string): readonly Claim[] {
  if (kind === 'md5' && !text.includes(':')) return [claim('md5', text, field)];
  const tokens = text.includes(' ') ? text.split(' ') : [text];
  return tokens.map((token) => {
    const colon = token.indexOf(':');
    if (colon < 0) throw wrong(field, 'bad-hash', 'needs the algorithm before the digest, such as "sha-256:…"');
    return claim(token.slice(0, colon).toLowerCase(), token.slice(colon + 1), field);
  });
}

function claim(algorithm: string, digest: string, field: string): Claim {
  if (!isHashAlgorithm(algorithm)) {
    const known = HASH_ALGORITHMS.join(', ');
    throw wrong(
      field,
      'unknown-hash-algorithm',
      `names the algorithm ${JSON.stringify(algorithm)}; known are ${known}`,
    );
  }
  const problem = digestProblem(algorithm, digest);
  if (problem !== undefined)
    throw wrong(field, 'bad-hash', `is ${JSON.stringify(digest).slice(0, 80)}, but ${problem}`);
  return { algorithm, digest: digest.toLowerCase(), field };
}

function wrong(field: string, code: string, message: string): TidemarkError {
  return new TidemarkError('invalid', `${field} ${message}`, { code, field });
}
