/** Results of a step for each item, in their order, with at most so many steps at the same time. */
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
    // A caller that stops early leaves some behind.
    await Promise.allSettled(underWay);
  }
}
