import { get } from './http.ts';

// Lists of 50,000 entries are read by pattern: parsing them takes seconds, and their form is held to elsewhere.

/** What the `loc` of every entry says, in order. */
export function locsOf(document: string): readonly string[] {
  return [...document.matchAll(/<loc>([^<]*)<\/loc>/g)].map(([, loc]) => unescaped(loc!));
}

export interface ReadChange {
  readonly uri: string;
  readonly change: string;
  readonly datetime: string;
  /** As its entry has it; undefined for none. */
  readonly hash: string | undefined;
}

/** The changes of a Change List, in order. */
export function changesOf(document: string): readonly ReadChange[] {
  return [...document.matchAll(/<url><loc>([^<]*)<\/loc>.*?<rs:md ([^>]*)\/>.*?<\/url>/g)].map(
    ([, loc, attributes]) => ({
      uri: unescaped(loc!),
      change: attribute(attributes!, 'change')!,
      datetime: attribute(attributes!, 'datetime')!,
      hash: attribute(attributes!, 'hash'),
    }),
  );
}

/** The attributes of a document's own `rs:md`. */
export function headOf(document: string): (name: string) => string | undefined {
  const [, attributes = ''] = /<rs:md (capability=[^>]*)\/>/.exec(document) ?? [];
  return (name) => attribute(attributes, name);
}

/** The parts of an index in its order, or the list itself. */
export async function partsOf(uri: string): Promise<readonly string[]> {
  const { text } = await get(uri);
  if (!text.includes('<sitemapindex')) return [text];
  const parts: string[] = [];
  for (const part of locsOf(text)) parts.push((await get(part)).text);
  return parts;
}

function attribute(attributes: string, name: string): string | undefined {
  return new RegExp(`(?:^| )${name}="([^"]*)"`).exec(attributes)?.[1];
}

function unescaped(text: string): string {
  return text.replaceAll('&lt;', '<').replaceAll('&gt;', '>').replaceAll('&apos;', "'").replaceAll('&amp;', '&');
}
