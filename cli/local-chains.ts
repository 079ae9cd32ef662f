/** Check of the commands that start local chains. */
import { requireLocalChainPlatform } from '../devnet/alt-node/native-platform.ts';
import { CommandFailed } from './exit-codes.ts';

/** Throws `CommandFailed` on a platform without local chains. */
export function requireLocalChains(): void {
  try {
    requireLocalChainPlatform();
  } catch (error) {
    throw new CommandFailed('refused', (error as Error).message);
  }
}
