import * as z from 'zod';
import { fieldProblem, issueText } from '../../core/issue-text.ts';
import { shortened } from '../../lib/excerpt.ts';
import { shownUrl } from '../fetch/shown-url.ts';
import { IngestFailure } from '../ingest-failure.ts';
import { cleanText } from './clean-text.ts';

const MOST_CHARACTERS = 500;

/** A number of bytes, or of files, that a platform states: no text, no fraction, not negative. */
export const statedCount = z.int().nonnegative();

/** A text that may be missing. */
export const optionalText = z.string().nullish();

/**
 * Checks the fields of a reply that are used.
 * @param url of the reply
 * @throws IngestFailure `bad-platform-reply` that names the field
 */
export function parseReply<Schema extends z.ZodType>(schema: Schema, reply: unknown, url: string): z.output<Schema> {
  const parsed = schema.safeParse(reply, { error: issueText });
  if (parsed.success) return parsed.data;
  const { path, message } = parsed.error.issues[0]!;
  throw badReply(url, fieldProblem(path.join('.') || 'the reply', message));
}

/** A failure `bad-platform-reply`. @param problem what is wrong with the reply; it may contain texts of the reply */
export function badReply(url: string, problem: string): IngestFailure {
  const shown = cleanText(shortened(problem, MOST_CHARACTERS));
  const remedy = 'see what it is by `tidemark datasets ingest --dry-run --raw`';
  return new IngestFailure('bad-platform-reply', `the reply of the platform, ${shownUrl(url)}: ${shown}; ${remedy}`);
}

/** A failure whose message contains texts of a platform, which may have any length. */
export function platformFailure(status: IngestFailure['status'], message: string): IngestFailure {
  return new IngestFailure(status, cleanText(shortened(message, 2 * MOST_CHARACTERS)));
}
