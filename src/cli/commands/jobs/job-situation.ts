import type { JobView } from '../../../api/job-view.ts';
import { waitText } from '../../../api/job-view.ts';

/** The progress or result of a job, in a few words. */
export function jobSituation(job: JobView): string {
  const { state, progress, waits, error, notBefore, finished, worker, cancelling } = job;
  switch (state) {
    case 'running':
      return [cancelling && 'is being cancelled', progressText(progress), `by ${worker}`].filter(Boolean).join(', ');
    case 'queued':
      if (waits !== undefined) return waitText(waits);
      return [notBefore && `not before ${notBefore}`, error && `after: ${firstLine(error)}`].filter(Boolean).join(', ');
    case 'failed':
      return firstLine(error ?? '');
    case 'done':
    case 'cancelled':
      return `at ${finished}`;
  }
}

function progressText(progress: JobView['progress']): string | undefined {
  if (progress === undefined) return undefined;
  const { done, total, text } = progress;
  const numbers = done === undefined ? undefined : total === undefined ? String(done) : `${done} of ${total}`;
  return [text, numbers].filter(Boolean).join(': ') || undefined;
}

function firstLine(text: string): string {
  return text.split('\n')[0]!;
}
