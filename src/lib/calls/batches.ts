/** Cuts items into batches. @param most number of items in each batch but the last, which may have fewer */
export async function* batchesOf<Item>(items: Iterable<Item>, most: number): AsyncGenerator<readonly Item[]> {
  let batch: Item[] = [];
  for (const item of items) {
    batch.push(item);
    if (batch.length < most) continue;
    yield batch;
    batch = [];
  }
  if (batch.length > 0) yield batch;
}
