import { cleanText } from './clean-text.ts';

interface DescribedItem {
  readonly title?: string | null | undefined;
  readonly creator?: readonly (string | null | undefined)[];
  readonly date?: string | null | undefined;
  readonly description?: string | null | undefined;
  /** A URL. */
  readonly licenseurl?: string | null | undefined;
  /** The name of a license without a URL. */
  readonly rights?: string | null | undefined;
}

/** The metadata of an item, in the names of archive.org: what is empty is left out. */
export function describedItem(item: DescribedItem): Readonly<Record<string, string | readonly string[]>> {
  const { creator = [], date } = item;
  const creators = creator.filter((name): name is string => isText(name));
  const texts = Object.entries({ ...item, date: date?.slice(0, 10) }).filter(([, value]) => isText(value));
  return cleanText({
    ...(Object.fromEntries(texts) as Record<string, string>),
    ...(creators.length > 0 && { creator: creators }),
  });
}

const isText = (value: unknown): boolean => typeof value === 'string' && value.trim() !== '';
