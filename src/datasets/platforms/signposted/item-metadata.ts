import { type Node, textIn, textOf, valuesOf } from './json-ld.ts';

interface Described {
  /** The Dataset of the page; empty without one. */
  readonly node: Node;
  /** Of the page. */
  readonly title: string | undefined;
  /** What the page links as its license. */
  readonly license: string | undefined;
}

/** What an item says of a dataset: title, creators, date, description, license. */
export function itemMetadata({
  node,
  title,
  license,
}: Described): Readonly<Record<string, string | readonly string[]>> {
  const creators = [...valuesOf(node, 'creator'), ...valuesOf(node, 'author')].map(textOf);
  const creator = [...new Set(creators)].filter((name) => name !== undefined);
  const values = {
    title: textIn(node, 'name') ?? title,
    creator: creator.length === 0 ? undefined : creator,
    date: textIn(node, 'datePublished')?.slice(0, 10),
    description: textIn(node, 'description'),
    licenseurl: license ?? textIn(node, 'license'),
  };
  return Object.fromEntries(Object.entries(values).filter((entry) => entry[1] !== undefined)) as Record<string, string>;
}
