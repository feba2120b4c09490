/** The first of what comes as batches; the rest is not read. */
export async function take<Entry>(batches: AsyncIterable<readonly Entry[]>, most: number): Promise<readonly Entry[]> {
  const taken: Entry[] = [];
  for await (const batch of batches) {
    taken.push(...batch.slice(0, most - taken.length));
    if (taken.length === most) break;
  }
  return taken;
}
