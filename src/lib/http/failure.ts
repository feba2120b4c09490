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

/** Whether the address was not requested, because it is in a private network. The library gives its errors no code. */
export const isPrivateAddress = ({ message }: Error): boolean => /IP address\.$/.test(message);

/** Why there is no answer, in words for a person. */
export function describeHttpFailure(error: NodeJS.ErrnoException): string {
  if (isPrivateAddress(error)) {
    return 'its host is in a private network, or is this machine, which is not requested here';
  }
  return MESSAGES[error.code ?? ''] ?? error.message;
}
