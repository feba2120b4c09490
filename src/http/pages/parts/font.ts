import { readFileSync } from 'node:fs';

/**
 * Public Sans (SIL Open Font License 1.1), unchanged. The file name contains the version, so the file never changes.
 */
const SUBSETS = [
  {
    file: 'public-sans-latin-5.3.0.woff2',
    range:
      'U+0000-00FF,U+0131,U+0152-0153,U+02BB-02BC,U+02C6,U+02DA,U+02DC,U+0304,U+0308,U+0329,U+2000-206F,U+20AC,U+2122,U+2191,U+2193,U+2212,U+2215,U+FEFF,U+FFFD',
  },
  {
    file: 'public-sans-latin-ext-5.3.0.woff2',
    range:
      'U+0100-02BA,U+02BD-02C5,U+02C7-02CC,U+02CE-02D7,U+02DD-02FF,U+1D00-1DBF,U+1E00-1E9F,U+1EF2-1EFF,U+2020,U+20A0-20AB,U+20AD-20C0,U+2113,U+2C60-2C7F,U+A720-A7FF',
  },
] as const;

type FontFile = (typeof SUBSETS)[number]['file'];
export const FONT_FILES: readonly FontFile[] = SUBSETS.map(({ file }) => file);

/** The file that nearly every page needs: the browser should load it beside the page. */
export const FIRST_FONT_FILE: FontFile = SUBSETS[0].file;

/**
 * The font of pages; a browser loads only the files that the text of a page needs. Until then, and where loading fails,
 * text has a local font, scaled to the same width, so that lines do not move.
 * @param top the relative path from the page to the base URL
 */
export function fontFaces(top: string): string {
  const faces = SUBSETS.map(
    ({ file, range }) =>
      `@font-face { font-family: "Public Sans"; src: url("${top}fonts/${file}") format("woff2"); font-weight: 100 900; font-display: swap; unicode-range: ${range}; }`,
  );
  const fallback = `@font-face { font-family: "Public Sans Fallback"; src: local("Arial"), local("Liberation Sans"), local("Helvetica Neue"); size-adjust: ${SIZE_ADJUST}; ascent-override: 91.5%; descent-override: 21.7%; line-gap-override: 0%; }`;
  return `\n${[...faces, fallback].join('\n')}`;
}

/** Arial is narrower: measured with the sentences of pages. */
const SIZE_ADJUST = '103.8%';

const files = new Map<FontFile, Buffer>();

/** The bytes of a file; each file is read once. */
export function fontBytes(file: FontFile): Buffer {
  const bytes = files.get(file) ?? readFileSync(new URL(`../../../../fonts/${file}`, import.meta.url));
  files.set(file, bytes);
  return bytes;
}
