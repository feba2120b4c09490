/** What the meta elements of a landing page say: of Highwire, Dublin Core, Open Graph and schema.org (D22). */
export interface HtmlBiblio {
  readonly title?: string;
  /** `10.7910/DVN/CLSFKX`, in lower case, without a prefix. */
  readonly doi?: string;
  /** The name of the software that made the page, from `generator`. */
  readonly generator?: string;
  readonly siteName?: string;
  /** The values of other meta elements by their name in lower case, as the page has them; at most 200. */
  readonly meta: Readonly<Record<string, readonly string[]>>;
}
