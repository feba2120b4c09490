import { type Answer, ask, type Question } from './ask.ts';
import { until } from './until.ts';

/** Asks again while the server answers that it is busy. */
export function askWhileBusy(url: string, question: Question = {}): Promise<Answer> {
  return until('it is answered', async () => {
    const answer = await ask(url, question);
    const isLater = answer.status === 503 && answer.headers['retry-after'] !== undefined;
    return !isLater && answer;
  });
}
