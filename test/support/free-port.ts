import { findFreePorts } from '../../scripts/services/free-ports.ts';

/** A port that was just free, and that no outgoing connection is given meanwhile. */
export async function findFreePort(): Promise<number> {
  const [port] = await findFreePorts(1);
  return port!;
}
