import type { Metric, Registry } from 'prom-client';

/** Upper bounds in seconds. */
const BOUNDS = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 10, 60];
const METHODS = ['GET', 'HEAD', 'POST', 'other'];
const STATUS_CLASSES = ['other', '1xx', '2xx', '3xx', '4xx', '5xx'];
/** The label of requests that matched no route. */
const UNMATCHED = '(unmatched)';

const SECONDS = {
  name: 'tidemark_http_request_seconds',
  help: 'Seconds from the head of a request until its answer is sent or cut off, by pattern of the route, method and class of status. A stream of changes lasts as long as its sender sends.',
  labelNames: ['route', 'method', 'status', 'le'],
};
const SENT = {
  name: 'tidemark_http_sent_bytes_total',
  help: 'Bytes that were sent to clients, heads of answers included, by pattern of the route.',
  labelNames: ['route'],
};
const IN_FLIGHT = {
  name: 'tidemark_http_requests_in_flight',
  help: 'Requests in flight.',
  labelNames: [],
};

interface AnsweredRequest {
  /** The pattern of the route, so that the number of values is limited to the number of routes. */
  readonly route: string | undefined;
  readonly method: string | undefined;
  readonly status: number;
  readonly seconds: number;
  /** Bytes on the wire. */
  readonly sent: number;
}

interface Value {
  readonly metricName?: string;
  readonly labels: Readonly<Record<string, string | number>>;
  readonly value: number;
}

/**
 * Measures requests. A server may answer ten thousand per second and more, so an observation is two additions:
 * prom-client, which builds a text of the labels at each observation, receives the numbers at the scrape.
 */
export class HttpMetrics {
  readonly #routes = new Map<string, RouteFigures>();
  #inFlight = 0;
  #answered = 0;

  constructor(registry: Registry) {
    const register = (about: typeof SENT, type: string, values: () => Value[]) => {
      const metric = {
        ...about,
        type,
        get: async () => ({ ...about, type, values: values(), aggregator: 'sum' }),
        reset() {},
      };
      registry.registerMetric(metric as unknown as Metric);
    };
    register(SECONDS, 'histogram', () => [...this.#routes].flatMap(([route, figures]) => figures.histogram(route)));
    register(SENT, 'counter', () => [...this.#routes].map(([route, { sent }]) => ({ labels: { route }, value: sent })));
    register(IN_FLIGHT, 'gauge', () => [{ labels: {}, value: this.#inFlight }]);
  }

  get inFlight(): number {
    return this.#inFlight;
  }

  /** The number of requests that were answered or aborted. */
  get answered(): number {
    return this.#answered;
  }

  begin(): void {
    this.#inFlight += 1;
  }

  end({ route = UNMATCHED, method, status, seconds, sent }: AnsweredRequest): void {
    this.#inFlight -= 1;
    this.#answered += 1;
    let figures = this.#routes.get(route);
    if (figures === undefined) {
      figures = new RouteFigures();
      this.#routes.set(route, figures);
    }
    figures.add({ method, status, seconds, sent });
  }
}

class RouteFigures {
  sent = 0;
  /** By method and class of status. */
  readonly #spreads: (Spread | undefined)[] = [];

  add({ method = '', status, seconds, sent }: Omit<AnsweredRequest, 'route'>): void {
    this.sent += sent;
    const known = METHODS.indexOf(method);
    const at = (known < 0 ? METHODS.length - 1 : known) * STATUS_CLASSES.length + classOf(status);
    const spread = this.#spreads[at] ?? new Spread();
    this.#spreads[at] = spread;
    spread.add(seconds);
  }

  histogram(route: string): Value[] {
    return this.#spreads.flatMap((spread, at) => {
      if (spread === undefined) return [];
      const method = METHODS[Math.floor(at / STATUS_CLASSES.length)]!;
      const status = STATUS_CLASSES[at % STATUS_CLASSES.length]!;
      return spread.values(SECONDS.name, { route, method, status });
    });
  }
}

/** A histogram of observations. */
class Spread {
  readonly #counts = new Float64Array(BOUNDS.length + 1);
  #sum = 0;

  add(seconds: number): void {
    this.#sum += seconds;
    let at = 0;
    while (at < BOUNDS.length && seconds > BOUNDS[at]!) at += 1;
    this.#counts[at]! += 1;
  }

  values(name: string, labels: Value['labels']): Value[] {
    let count = 0;
    const buckets: Value[] = [];
    for (const [at, number] of this.#counts.entries()) {
      count += number;
      buckets.push({ metricName: `${name}_bucket`, labels: { ...labels, le: BOUNDS[at] ?? '+Inf' }, value: count });
    }
    return [
      ...buckets,
      { metricName: `${name}_sum`, labels, value: this.#sum },
      { metricName: `${name}_count`, labels, value: count },
    ];
  }
}

/** The index of a status in STATUS_CLASSES. */
function classOf(status: number): number {
  const first = Math.floor(status / 100);
  return first >= 1 && first <= 5 ? first : 0;
}
