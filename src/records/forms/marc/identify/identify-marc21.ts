import {
  BASE_ADDRESS_AT,
  FIELD_TERMINATOR,
  LEADER_LENGTH,
  numberAt,
  RECORD_TERMINATOR,
  SUBFIELD_DELIMITER,
} from '../iso2709.ts';

const LENGTH_DIGITS = 5;
const ENTRY_LENGTH = 12;
const ENTRY = /^[0-9A-Za-z]{3}\d{9}$/;
const BYTE_ORDER_MARK = '\xef\xbb\xbf';
/** Number of records to examine: a single damaged record does not make a file unknown. */
const MOST_RECORDS = 20;

/**
 * Whether a file is MARC21: whether one of its first records has a leader whose base address matches a directory.
 * Errors in its records are found when they are read.
 */
export function beginsAsMarc21(head: Buffer): boolean {
  let at = head.toString('latin1', 0, BYTE_ORDER_MARK.length) === BYTE_ORDER_MARK ? BYTE_ORDER_MARK.length : 0;
  for (let record = 0; record < MOST_RECORDS; record++) {
    while (isBlank(head[at])) at += 1;
    // The length in a leader may be blank.
    if (fits(head, at) || fits(head, at - LENGTH_DIGITS)) return true;
    const end = head.indexOf(RECORD_TERMINATOR, at);
    if (end < 0) return isDamaged(head, at);
    // A single record with a wrong base address.
    if (numberAt(head, at, LENGTH_DIGITS) === end + 1 - at && head.subarray(at, end).includes(FIELD_TERMINATOR)) {
      return true;
    }
    if (isDamaged(head, at)) return true;
    at = end + 1;
  }
  return false;
}

/**
 * Whether bytes can be nothing else than a record whose leader or directory is damaged: they begin with digits, as a
 * length, and have the end of a directory, and subfields or the end of a record. Each such record is an erratum, which
 * says what is wrong.
 */
function isDamaged(head: Buffer, at: number): boolean {
  const end = head.indexOf(FIELD_TERMINATOR, at);
  const isFielded = end > 0 && (head.includes(SUBFIELD_DELIMITER, end) || head.includes(RECORD_TERMINATOR, end));
  return isFielded && DAMAGED.test(head.toString('latin1', at, end));
}

/** A length; and, at the end of a directory, an entry. */
const DAMAGED = /^\d{4}.*[0-9A-Za-z]{9}$/s;

/** Some programs write line ends between records. */
const isBlank = (byte: number | undefined) => byte === 0x20 || byte === 0x0a || byte === 0x0d || byte === 0;

function fits(head: Buffer, at: number): boolean {
  const base = numberAt(head, at + BASE_ADDRESS_AT, LENGTH_DIGITS);
  const directoryLength = base - LEADER_LENGTH - 1;
  if (directoryLength < 0 || directoryLength % ENTRY_LENGTH !== 0 || head.length < at + LEADER_LENGTH) return false;
  if (head.length >= at + base) return head[at + base - 1] === FIELD_TERMINATOR;
  // The file, or the part that was read, ends within the directory.
  const entries = Math.floor((head.length - at - LEADER_LENGTH) / ENTRY_LENGTH);
  return (
    entries > 0 &&
    Array.from({ length: entries }, (_, entry) => entry).every((entry) => {
      const start = at + LEADER_LENGTH + entry * ENTRY_LENGTH;
      return ENTRY.test(head.toString('latin1', start, start + ENTRY_LENGTH));
    })
  );
}
