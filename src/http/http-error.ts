interface Problem {
  readonly code: string;
  readonly message: string;
  readonly headers?: Readonly<Record<string, string>>;
  /** Plain values that help a program. */
  readonly details?: Readonly<Record<string, unknown>>;
}

/** What is wrong with a request as HTTP has it; what is wrong with what it asks for is a TidemarkError. */
export class HttpError extends Error {
  readonly status: number;
  readonly code: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly details: Readonly<Record<string, unknown>>;

  constructor(status: number, { code, message, headers = {}, details = {} }: Problem) {
    super(message);
    this.name = 'HttpError';
    this.status = status;
    this.code = code;
    this.headers = headers;
    this.details = details;
  }
}
