import type { Sitemap } from './sitemap-reader.ts';

export interface DocumentWords {
  readonly name: string;
  /** What it is for, in a sentence or two. */
  readonly purpose: string;
}

/** What people call a document, told from what it says of itself. */
export function wordsOf({ md, root, links }: Sitemap): DocumentWords {
  const isPart = links.some(({ rel }) => rel === 'index');
  switch (md.capability) {
    case 'description':
      return {
        name: 'Source Description',
        purpose: 'Every set of this source. Whoever has this address finds all the rest.',
      };
    case 'capabilitylist':
      return { name: 'Capability List', purpose: 'The lists of this set: where an aggregator begins.' };
    case 'resourcelist':
      if (root === 'sitemapindex') {
        return { name: 'Resource List', purpose: 'Everything there is, for a first copy, in several documents.' };
      }
      return isPart
        ? { name: 'Page of the Resource List', purpose: 'A part of everything there is, in the order of the names.' }
        : { name: 'Resource List', purpose: 'Everything there is, for a first copy.' };
    case 'changelist':
      if (root === 'sitemapindex') {
        return {
          name: 'Change List',
          purpose: 'Every change, in the order in which it came about, in several documents.',
        };
      }
      return isPart
        ? {
            name: 'Part of the Change List',
            purpose: 'The changes of some time, in the order in which they came about.',
          }
        : { name: 'Change List', purpose: 'Changes, in the order in which they came about.' };
    default:
      return { name: 'Document', purpose: 'A document of ResourceSync.' };
  }
}

/** What people call the document that a link leads to. */
export const RELATIONS: Readonly<Record<string, string>> = {
  up: 'One level up',
  index: 'The whole list',
  describedby: 'About it',
};
