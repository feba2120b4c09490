/** Joins the texts of many items. */
export function joinTexts<Item>(items: readonly Item[], textOf: (item: Item) => string): string {
  return items.map(textOf).join('');
}
