import type { Render } from '../../publish/cache/document-cache.ts';
import type { Instruments } from './instrument.ts';

const SECONDS = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 10, 30];

/** Measures rendering, from the request for a document until it is written, including the wait for a thread. */
export function withRenderMetrics(render: Render, instruments: Instruments): Render {
  const seconds = instruments.histogram(
    {
      name: 'tidemark_render_seconds',
      help: 'Seconds from the request for a document until it is written, including the wait for a free thread, by kind of document.',
      labels: ['kind'],
    },
    SECONDS,
  );
  const rendered = instruments.counter({
    name: 'tidemark_documents_rendered_total',
    help: 'Documents that were rendered, by kind. outcome: done or failed.',
    labels: ['kind', 'outcome'],
  });
  return async (record, task) => {
    const began = performance.now();
    const { kind } = task.job;
    try {
      const written = await render(record, task);
      seconds.observe({ kind }, (performance.now() - began) / 1000);
      rendered.inc({ kind, outcome: 'done' });
      return written;
    } catch (error) {
      rendered.inc({ kind, outcome: 'failed' });
      throw error;
    }
  };
}
