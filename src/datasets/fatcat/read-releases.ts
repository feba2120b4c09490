import { NdjsonLines } from '../../lib/bytes/ndjson-lines.ts';
import { parsedJson } from '../../lib/parsed-json.ts';
import { parseRelease, type Release } from './release-requests.ts';
import type { SkipCounts } from './skip-counts.ts';

/** Bytes of a line: a release with its abstracts, files and references. */
const MOST_LINE_BYTES = 16 * 1024 * 1024;

/** Reads release entities of fatcat, one a line. What is none is counted. */
export async function* readReleases(input: AsyncIterable<Buffer>, skipped: SkipCounts): AsyncGenerator<Release> {
  const lines = new NdjsonLines(MOST_LINE_BYTES);
  function* releases(found: ReturnType<typeof lines.push>) {
    for (const line of found) {
      const release = line.problem === undefined ? parseRelease(parsedJson(line.text)) : undefined;
      if (release === undefined) skipped.add('no release in the line');
      else yield release;
    }
  }
  for await (const chunk of input) yield* releases(lines.push(chunk));
  yield* releases(lines.end());
}
