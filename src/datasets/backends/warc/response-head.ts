const CRLF = '\r\n';
/** How a header is called that was true of the response, and is not of what is stored; replay programs know it so. */
const ORIGINAL = 'X-Archive-Orig-';

/**
 * The head of a response as it is stored, so that its record can be replayed: the body is stored after
 * Transfer-Encoding and Content-Encoding were undone, so these headers get another name, and so does a Content-Length
 * that is not that of the body.
 * @param head as it was received, with the empty line
 * @param length of the stored body in bytes; undefined when it is not known yet: then Content-Length is right, unless
 *   the body was encoded
 */
export function storedHead(head: string, length: number | undefined): Buffer {
  const [statusLine = '', ...lines] = head.replace(/(?:\r?\n)+$/, '').split(/\r?\n/);
  const isEncoded = lines.some((line) => /^(?:transfer|content)-encoding:(?!\s*identity\s*$)/i.test(line));
  const renamed = lines.map((line) => {
    const [, name = '', value = ''] = /^([^:]*):\s*(.*)$/.exec(line) ?? [];
    const isWrong = /^(?:transfer|content)-encoding$/i.test(name) || (isLength(name) && !isTrue(value));
    return isWrong ? `${ORIGINAL}${line}` : line;
  });
  return Buffer.from([statusLine, ...renamed, '', ''].join(CRLF), 'latin1');

  function isTrue(value: string): boolean {
    return length === undefined ? !isEncoded : Number(value) === length;
  }
}

const isLength = (name: string): boolean => /^content-length$/i.test(name);
