/** The codings in a header `Content-Encoding`, in lower case, without `identity` (RFC 9110, 8.4.1). */
export function codingsIn(header = ''): string {
  const codings = header.toLowerCase().split(/[\s,]+/);
  return codings.filter((coding) => coding !== '' && coding !== 'identity').join(', ');
}

/** Whether the only coding is gzip: `x-gzip` is another name of it (RFC 9110, 8.4.1.3). */
export const isGzip = (codings: string): boolean => codings === 'gzip' || codings === 'x-gzip';
