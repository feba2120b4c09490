/** Yields the results of an async step for each item, in order, with a limited number of steps running at once. */
export async function* mapInOrder<Item, Result>(
  items: AsyncIterable<Item> | Iterable<Item>,
  atATime: number,
  step: (item: Item) => Promise<Result>,
): AsyncGenerator<Result> {
  const underWay: Promise<Result>[] = [];
  try {
    for await (const item of items) {
      const result = step(item);
      // The caller that awaits it gets the error.
      result.catch(() => {});
      underWay.push(result);
      if (underWay.length === atATime) yield await underWay.shift()!;
    }
    while (underWay.length > 0) yield await underWay.shift()!;
  } finally {
    // A caller that stops early leaves steps running: wait until they have ended.
    await Promise.allSettled(underWay);
  }
}
