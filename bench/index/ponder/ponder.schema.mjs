// Schema of ponder: the owner of every token.
import { onchainTable } from 'ponder';

export const machineOwner = onchainTable('machine_owner', (column) => ({
  id: column.bigint().primaryKey(),
  owner: column.hex().notNull(),
}));
