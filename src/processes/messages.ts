import type { Taken } from '../access/sender-limits.ts';
import { type Configuration, Secret } from '../config/configuration.ts';
import type { ResourceSet } from '../core/resource-set.ts';
import type { ProcessFigures } from '../observe/metrics/process-figures.ts';
import type { RootProblem } from '../sources/content-root.ts';

/** What the first process asks the further ones. */
export type AskedOfFurther = {
  /** The first question. Answered when it serves; rejected with what keeps it from that. */
  readonly serve: { readonly ask: Assignment; readonly answer: unknown };
  readonly figures: { readonly ask: undefined; readonly answer: ProcessFigures };
  readonly taken: { readonly ask: readonly Taken[]; readonly answer: unknown };
};

/** What a further process asks the first one. */
export type AskedOfFirst = {
  readonly 'figures-of-others': { readonly ask: undefined; readonly answer: readonly ProcessFigures[] };
  /** Scans of one root take turns, which those of one process can. */
  readonly 'scan-paths': {
    readonly ask: { readonly set: ResourceSet; readonly paths: readonly string[] };
    readonly answer: readonly RootProblem[];
  };
  readonly taken: { readonly ask: readonly Taken[]; readonly answer: unknown };
};

/** What a further process is to serve. */
export interface Assignment {
  /** 1 is the first of the further ones. */
  readonly number: number;
  /** That of the first process, so that nothing depends on what became of files and variables since. */
  readonly configuration: Omit<Configuration, 'token'>;
  readonly token: string | undefined;
}

export function assignment(number: number, { token, ...configuration }: Configuration): Assignment {
  return { number, configuration, token: token?.reveal() };
}

export function assigned({ configuration, token }: Assignment): Configuration {
  return { ...configuration, token: token === undefined ? undefined : new Secret(token) };
}
