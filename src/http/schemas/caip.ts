/** Schemas of accounts (CAIP-10) and tokens (CAIP-19) of the main chain. */
import type { JsonSchema } from './json-schema.ts';

/** A chain (CAIP-2). */
export const CHAIN_NAME: JsonSchema = { type: 'string', pattern: '^(?:eip155|solana):[-_a-zA-Z0-9]{1,32}$' };
export const MAIN_ACCOUNT: JsonSchema = { type: 'string', pattern: '^eip155:[0-9]{1,32}:0x[0-9a-fA-F]{40}$' };
export const CAIP_19: JsonSchema = {
  type: 'string',
  pattern: '^eip155:[0-9]{1,32}/erc721:0x[0-9a-f]{40}/[1-9][0-9]{0,77}$',
};
export const EXAMPLE_ACCOUNT = 'eip155:31337:0x1A642f0E3c3aF545E7AcBD38b07251B3990914F1';
export const EXAMPLE_ASSET = 'eip155:31337/erc721:0x5fbdb2315678afecb367f032d93f642f64180aa3/42';
