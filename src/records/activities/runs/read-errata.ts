import type { Readable } from 'node:stream';
import { NdjsonLines } from '../../../lib/ndjson-lines.ts';
import type { Erratum } from '../errata.ts';

/** Reads the first lines of a file of errata, and closes it. */
export async function readFirstErrata(body: Readable, limit: number): Promise<readonly Erratum[]> {
  const found: Erratum[] = [];
  const lines = new NdjsonLines();
  // Leaving the loop closes the body.
  for await (const chunk of body) {
    for (const line of lines.push(chunk)) {
      if (found.length < limit) found.push(JSON.parse('text' in line ? line.text : '{}'));
    }
    if (found.length === limit) break;
  }
  return found;
}
