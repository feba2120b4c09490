/** The reader of a page. */
export interface Viewer {
  /** What the page calls the reader; undefined for an unknown one. */
  readonly name: string | undefined;
  readonly isAdministrator: boolean;
  /** May see how the server is, in figures. */
  readonly seesFigures: boolean;
  /** Whether the reader can sign out. */
  readonly hasSession: boolean;
  /** Whether showing a token here could change anything. */
  readonly maySignIn: boolean;
}

/** What every page needs to know besides what it shows. */
export interface Frame {
  /**
   * The way from the page to the base URL: the base URL may have a path that only a proxy in front knows of. Ends with
   * a slash.
   */
  readonly top: string;
  /** The page's own address, below the base URL; empty for that itself. */
  readonly here: string;
  /** Without a slash at its end. */
  readonly baseUrl: string;
  readonly viewer: Viewer;
  /** Milliseconds since 1970. */
  readonly now: number;
}

/** The way up from a path of this server. @param path as the server sees it, with a slash at its beginning */
export function topOf(path: string): string {
  return '../'.repeat(path.split('/').length - 2) || './';
}

/**
 * A URI as a link of a page: one of ours goes by the name under which the reader came, which may not be the public one.
 */
export function linkTo(uri: string, { top, baseUrl }: Pick<Frame, 'top' | 'baseUrl'>): string {
  return uri.startsWith(`${baseUrl}/`) ? top + uri.slice(baseUrl.length + 1) : uri;
}

/** Asks for a token, and leads back to the page. */
export function signInLink({ top, here }: Pick<Frame, 'top' | 'here'>): string {
  if (here.startsWith('sign-in')) return top + here;
  return here === '' ? `${top}sign-in` : `${top}sign-in?${new URLSearchParams({ to: here })}`;
}
