/** Bytes of a page in which its charset is searched (HTML, 13.2.3.2). */
const PRESCAN_BYTES = 1_024;

/**
 * Decodes a page: by its byte order mark, the charset of the header, or that of a meta element (HTML, 13.2.3.1);
 * otherwise as UTF-8 where it is that, or as windows-1252. Bytes that are not of the charset become U+FFFD.
 */
export function decodePage(bytes: Uint8Array, charset: string | undefined): string {
  const encoding = markedEncoding(bytes) ?? encodingOf(charset) ?? metaEncoding(bytes);
  if (encoding !== undefined) return new TextDecoder(encoding).decode(bytes);
  try {
    // The last character may be cut off.
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes, { stream: true });
  } catch {
    return new TextDecoder('windows-1252').decode(bytes);
  }
}

function markedEncoding([first, second, third]: Uint8Array): string | undefined {
  if (first === 0xef && second === 0xbb && third === 0xbf) return 'utf-8';
  if (first === 0xfe && second === 0xff) return 'utf-16be';
  return first === 0xff && second === 0xfe ? 'utf-16le' : undefined;
}

/** The encoding of a label, such as `latin1`; undefined for an unknown one. */
function encodingOf(label: string | undefined): string | undefined {
  if (label === undefined) return undefined;
  try {
    return new TextDecoder(label).encoding;
  } catch {
    return undefined;
  }
}

function metaEncoding(bytes: Uint8Array): string | undefined {
  const start = Buffer.from(bytes.subarray(0, PRESCAN_BYTES)).toString('latin1');
  const encoding = encodingOf(/<meta\s[^>]*charset\s*=\s*["']?\s*([^\s"'/>;]+)/i.exec(start)?.[1]);
  // A page whose declaration could be read is not in UTF-16.
  return encoding?.startsWith('utf-16') ? 'utf-8' : encoding;
}
