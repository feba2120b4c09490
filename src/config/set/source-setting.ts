import type { Origin } from '../../core/origin.ts';
import type { Configuration } from '../configuration.ts';

/** What the row of a setting has that names a source. A set has one source. */
export interface NamedSource {
  /** What messages call it, with its flag. */
  readonly text: string;
  /** What a set with it is a set of, with its flag: for the summary of `sets add`. */
  readonly summary: string;
  /** Whether the server may publish it over HTTP only below one of `apiRoots`: `origin` requires that. */
  readonly inApiRoots?: true;
  /**
   * Makes the origin of a new set. The same source always has the same origin.
   * @param values all given values of the set
   * @throws TidemarkError `invalid` for something that is no source; `forbidden` for one that is not allowed
   */
  origin(value: string, values: object, context: SetContext): Origin | Promise<Origin>;
}

/** The context in which the values of a new set are given. */
export interface SetContext {
  readonly configuration: Configuration;
  /** Makes a relative path of a folder absolute. */
  readonly workingDirectory: string;
  /** The only roots and sources that may be given; undefined for any. */
  readonly allowedRoots?: readonly string[] | undefined;
  readonly findSource: FindSource;
  /** The id of the new set. */
  readonly slug: string;
}

/** Finds a set of another source, by any URL of it. Returns the URI of the set. */
export type FindSource = (options: FindSourceOptions, name: string | undefined) => Promise<string>;

interface FindSourceOptions {
  readonly url: string;
  readonly allowedHosts: readonly string[];
  readonly tokenFile?: string | undefined;
  readonly netrc?: string | undefined;
}
