/**
 * Yields the results of a function, and calls it again before each item is used, so that the next one is ready sooner.
 * A caller that stops early does not wait for the last call, and does not get its error.
 * @param next resolves with undefined after the last item
 */
export async function* prefetch<Item>(next: () => Promise<Item | undefined>): AsyncGenerator<Item> {
  for (let coming = next(); ; ) {
    const item = await coming;
    if (item === undefined) return;
    coming = next();
    // The caller that awaits it gets the error.
    coming.catch(() => {});
    yield item;
  }
}

/**
 * Yields the same items, requesting each one while the caller uses the previous one. A caller that stops early waits
 * for the last request.
 */
export async function* prefetchItems<Item>(items: AsyncIterable<Item>): AsyncGenerator<Item> {
  const iterator = items[Symbol.asyncIterator]();
  const next = async () => {
    const result = await iterator.next();
    return result.done ? undefined : { value: result.value };
  };
  try {
    for await (const { value } of prefetch(next)) yield value;
  } finally {
    await iterator.return?.();
  }
}
