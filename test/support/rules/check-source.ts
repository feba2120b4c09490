import { tmpdir } from 'node:os';
import type { Fetcher } from '../../../src/client/read/fetcher.ts';
import { HttpFetcher } from '../../../src/client/read/http-fetcher.ts';
import { COMMAND_LIMITS, type ReadLimits } from '../../../src/client/read/limits.ts';
import type { ValidateOptions } from '../../../src/client/validate/read/session.ts';
import type { Report } from '../../../src/client/validate/report.ts';
import { validate } from '../../../src/client/validate/validate.ts';

/** Validates a source over HTTP, and every resource of it. */
export async function checkSource(
  url: string,
  {
    limits,
    fetcher,
    ...options
  }: Partial<Omit<ValidateOptions, 'limits'>> & { readonly limits?: Partial<ReadLimits> } = {},
): Promise<Report> {
  const all = { ...COMMAND_LIMITS, ...limits };
  const used: Fetcher = fetcher ?? new HttpFetcher({ ...all, privateNetworks: 'all' });
  try {
    return await validate(url, { sample: 1_000, folder: tmpdir(), ...options, limits: all, fetcher: used });
  } finally {
    used.close();
  }
}

/** A line for each finding. */
export const linesOf = ({ findings }: Report): readonly string[] =>
  findings.map(({ rule, level, document, line, message }) => `rule ${rule} (${level}) ${document}:${line}: ${message}`);

/** The numbers of the broken rules. */
export const brokenRules = ({ broken }: Report): readonly number[] => broken.map(({ rule }) => rule);
