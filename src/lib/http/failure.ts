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

/** Whether the request was refused because the address is in a private network. The library sets no error code. */
export const isPrivateAddress = ({ message }: Error): boolean => /IP address\.$/.test(message);

/** Why there is no response. The text is for people. */
export function describeHttpFailure(error: NodeJS.ErrnoException): string {
  if (isPrivateAddress(error)) {
    return 'its host is in a private network, or is this machine, which is not requested here';
  }
  return MESSAGES[error.code ?? ''] ?? error.message;
}
