/** Everything that is set from outside, read once by load-configuration.ts. */
export interface Configuration {
  /** Where state and log are kept. */
  readonly store: StoreLocation;
  /** The folder of everything else that this process keeps: rendered documents, what scans remember. Absolute. */
  readonly dataFolder: string;
  /** The public base URL without a slash at its end; `http://localhost:PORT` when none is set. */
  readonly baseUrl: string;
  readonly host: string;
  readonly port: number;
  /** The administrator's token from the environment. */
  readonly token: Secret | undefined;
  /** Permits to bind to a public address without a token; nothing can be posted then. */
  readonly publicReadOnly: boolean;
  /** Bytes that rendered documents may take on disk. */
  readonly cacheBytes: number;
  /** Milliseconds that a request may send nothing. */
  readonly idleTimeout: number;
  readonly logLevel: 'silent' | 'error' | 'warn' | 'info' | 'debug';
  /** For tests: see domain/failpoint.ts. */
  readonly failpoint: string | undefined;
}

export interface StoreLocation {
  readonly kind: 'sqlite';
  /** Absolute. */
  readonly file: string;
}

/** A text that does not print itself. */
export class Secret {
  readonly #value: string;

  constructor(value: string) {
    this.#value = value;
  }

  reveal(): string {
    return this.#value;
  }

  toString(): string {
    return '[secret]';
  }

  toJSON(): string {
    return '[secret]';
  }
}
