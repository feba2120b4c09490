/** How the answer to a search with `filter_path=hits.hits.X` begins and ends. */
const BEGIN = Buffer.from('{"hits":{"hits":[');
const END = Buffer.from(']}}');

/**
 * Parses the hits of a search while they arrive, some hundred at a time: a page of 50,000 is 26 MB of JSON, which whole would take ten times
 * its size in memory. What separates two hits never stands inside one: in a JSON text the quotation mark of `{"` would be escaped.
 * @param field the only field that each hit has, by `filter_path`
 * @throws Error when the answer ends before its end
 */
export async function* splitHits<Hit>(
  body: AsyncIterable<Buffer>,
  field: '_source' | 'fields',
): AsyncIterable<readonly Hit[]> {
  const separator = Buffer.from(`},{"${field}":`);
  let rest: Buffer = Buffer.alloc(0);
  let begun = false;
  for await (const chunk of body) {
    rest = rest.length === 0 ? chunk : Buffer.concat([rest, chunk]);
    if (!begun) {
      if (rest.length < BEGIN.length || rest.indexOf(BEGIN) !== 0) continue;
      rest = rest.subarray(BEGIN.length);
      begun = true;
    }
    const end = rest.lastIndexOf(separator);
    if (end < 0) continue;
    yield JSON.parse(`[${rest.toString('utf8', 0, end)}}]`);
    rest = rest.subarray(end + '},'.length);
  }
  // An answer without hits is `{}`.
  if (!begun && rest.toString() === '{}') return;
  const end = rest.length - END.length;
  if (!begun || !rest.subarray(Math.max(end, 0)).equals(END)) throw new Error('the answer was cut off');
  yield JSON.parse(`[${rest.toString('utf8', 0, end)}]`);
}
