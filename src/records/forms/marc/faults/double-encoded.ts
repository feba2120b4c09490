import type { Fault } from '../../../errata/fault.ts';
import { describeFault } from './describe-fault.ts';

const LATIN = 0xc3;
/**
 * What UTF-8 of Latin letters becomes when it is taken for Latin-1, and converted again: `Ã` (C3 83) and a control
 * character or a sign (C2 and another byte). `Ã` alone is a letter of Portuguese. C3 is frequent in Latin text:
 * searching from the second byte takes a fifth of the time.
 */
const BEHIND_LATIN = Buffer.of(0x83, 0xc2);
const LENGTH = BEHIND_LATIN.length + 2;

/** A warning of a text that looks as if it were converted to UTF-8 twice. @param bytes a record, or several parts */
export function doubleEncodedIn(bytes: Buffer): { readonly reason: string; readonly fault: Fault } | undefined {
  let behind = bytes.indexOf(BEHIND_LATIN);
  while (behind >= 0 && bytes[behind - 1] !== LATIN) behind = bytes.indexOf(BEHIND_LATIN, behind + 1);
  if (behind < 0) return undefined;
  const what = 'looks as if it were converted to UTF-8 twice: it was taken as it is';
  const { message, fault } = describeFault(bytes, { kind: 'double-utf-8', what, at: behind - 1, length: LENGTH });
  return { reason: message, fault };
}
