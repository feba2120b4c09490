const BASE32 = 'ABCDEFGHIJKLMNOPQRSTUVWXYZ234567';

/** A SHA-1 in base32 (RFC 4648). @param hex 40 digits */
export function base32Of(hex: string): string {
  const digits = BigInt(`0x${hex}`).toString(32).padStart(32, '0');
  return digits.replaceAll(/./g, (digit) => BASE32[Number.parseInt(digit, 32)]!);
}
