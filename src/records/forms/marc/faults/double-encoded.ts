import type { Fault } from '../../../errata/fault.ts';
import { describeFault } from './describe-fault.ts';

const LATIN = 0xc3;
/** What UTF-8 of Latin letters becomes when it is taken for Latin-1, and converted again: `Ã` and a control character
 * or a sign. `Ã` alone is a letter of Portuguese.
 */
const TWICE = Buffer.of(LATIN, 0x83, 0xc2);

/** A warning of a text that looks as if it were converted to UTF-8 twice. @param bytes a record, or several parts */
export function doubleEncodedIn(bytes: Buffer): { readonly reason: string; readonly fault: Fault } | undefined {
  // A search for a single byte takes a fraction of the time, and most records have none.
  if (!bytes.includes(LATIN)) return undefined;
  const at = bytes.indexOf(TWICE);
  if (at < 0) return undefined;
  const what = 'looks as if it were converted to UTF-8 twice: it was taken as it is';
  const { message, fault } = describeFault(bytes, { kind: 'double-utf-8', what, at, length: TWICE.length + 1 });
  return { reason: message, fault };
}
