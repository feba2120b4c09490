import { BASE_ADDRESS_AT, digits, ENTRY_LENGTH, FIELD_TERMINATOR, LEADER_LENGTH, LONGEST_RECORD } from './iso2709.ts';

/**
 * A copy of a physical record, with those parts of its leader corrected that contain no information: lengths and
 * addresses follow from the terminators, and the rest of them is the same in each record of MARC21.
 * @returns undefined without a directory
 */
export function withPlainLeader(bytes: Buffer): Buffer | undefined {
  const base = baseAddressOf(bytes);
  if (base === 0 || base > LONGEST_RECORD || (base - LEADER_LENGTH - 1) % ENTRY_LENGTH !== 0) return undefined;
  const copy = Buffer.from(bytes);
  copy.write(digits(Math.min(bytes.length, LONGEST_RECORD), 5), 0, 'latin1');
  copy.write(`22${digits(base, 5)}`, BASE_ADDRESS_AT - 2, 'latin1');
  copy.write('4500', LEADER_LENGTH - 4, 'latin1');
  return copy;
}

/** Where the fields begin, as the first field terminator says; 0 without one. */
export function baseAddressOf(bytes: Buffer): number {
  return bytes.indexOf(FIELD_TERMINATOR, LEADER_LENGTH) + 1;
}
