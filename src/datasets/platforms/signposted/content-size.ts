import { excerpt } from '../../../lib/excerpt.ts';
import { badReply } from '../parse-reply.ts';

/** Names of the unit byte; `AD` is its code of UN/CEFACT. */
const BYTES = new Set(['', 'b', 'byte', 'bytes', 'octet', 'octets', 'ad']);
const GROUPED = /^\d{1,3}(?:[, \u00a0]\d{3})+(?=\D|$)/;
const MEASURE = /^([+-]?[\d.]+)\s*([a-z]*)$/i;

/**
 * The exact number of bytes that a `contentSize` of schema.org states: a number, `1205b`, `1,205 bytes`, or a
 * QuantitativeValue. Undefined for a rounded one such as `1.2 MB`, and for any other text: it cannot be compared.
 * @param url of the file
 * @throws IngestFailure `bad-platform-reply` for a negative number, and for a fraction of a byte
 */
export function exactBytes(stated: unknown, url: string): number | undefined {
  const text = measureText(stated).trim();
  const grouped = GROUPED.exec(text)?.[0];
  const plain = grouped === undefined ? text : grouped.replace(/\D/g, '') + text.slice(grouped.length);
  const [, digits, unit = ''] = MEASURE.exec(plain) ?? [];
  if (digits === undefined || !BYTES.has(unit.toLowerCase())) return undefined;
  const size = Number(digits);
  if (Number.isSafeInteger(size) && size >= 0) return size;
  throw badReply(url, `contentSize is ${excerpt(text)}: use a number of bytes`);
}

function measureText(stated: unknown): string {
  if (typeof stated === 'number' || typeof stated === 'string') return String(stated);
  if (typeof stated !== 'object' || stated === null) return '';
  const { value, unitCode, unitText } = stated as Record<string, unknown>;
  if (typeof value !== 'number' && typeof value !== 'string') return '';
  const unit = [unitText, unitCode].find((one) => typeof one === 'string') ?? '';
  return `${value} ${unit}`;
}
