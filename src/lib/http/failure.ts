const MESSAGES: Readonly<Record<string, string>> = {
  ECONNREFUSED: 'the server refuses the connection',
  ECONNRESET: 'the server ended the connection',
  ENOTFOUND: 'there is no such host',
  EAI_AGAIN: 'the name of the host cannot be resolved now',
  ERR_STREAM_PREMATURE_CLOSE: 'the connection was closed before all bytes came',
  ETIMEDOUT: 'the server does not answer',
  EHOSTUNREACH: 'the host cannot be reached',
  HPE_HEADER_OVERFLOW: 'the head of the response is too large',
};

/** The code of the error of a request to an address in a private network that is not allowed (guarded-agents.ts). */
export const PRIVATE_ADDRESS = 'ERR_PRIVATE_ADDRESS';

export const isPrivateAddress = ({ code }: NodeJS.ErrnoException): boolean => code === PRIVATE_ADDRESS;

/** Why there is no response. The text is for people. */
export function describeHttpFailure(error: NodeJS.ErrnoException): string {
  if (isPrivateAddress(error)) {
    return 'its host is in a private network, or is this machine, which is not requested here';
  }
  return MESSAGES[error.code ?? ''] ?? error.message;
}
