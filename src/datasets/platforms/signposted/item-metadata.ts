import { describedItem } from '../described-item.ts';
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
export function itemMetadata({ node, title, license = textIn(node, 'license') }: Described) {
  const creators = [...valuesOf(node, 'creator'), ...valuesOf(node, 'author')].map(textOf);
  return describedItem({
    title: textIn(node, 'name') ?? title,
    creator: [...new Set(creators)],
    date: textIn(node, 'datePublished'),
    description: textIn(node, 'description'),
    ...(license !== undefined && (URL.canParse(license) ? { licenseurl: license } : { rights: license })),
  });
}
