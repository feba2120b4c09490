import { type Answer, ask, type Question } from './ask.ts';
import { until } from './until.ts';

/** Asks again while it is told to come again, as a server does whose store is busy. */
export function askPatiently(url: string, question: Question = {}): Promise<Answer> {
  return until('it is answered', async () => {
    const answer = await ask(url, question);
    const isLater = answer.status === 503 && answer.headers['retry-after'] !== undefined;
    return !isLater && answer;
  });
}
