// Transfer handler of ponder: stores the owner of each token.
import { ponder } from 'ponder:registry';
import { machineOwner } from 'ponder:schema';

const ZERO_ADDRESS = '0x0000000000000000000000000000000000000000';

ponder.on('FleetRegistry:Transfer', async ({ event, context }) => {
  const { to, tokenId } = event.args;
  if (to === ZERO_ADDRESS) await context.db.delete(machineOwner, { id: tokenId });
  else await context.db.insert(machineOwner).values({ id: tokenId, owner: to }).onConflictDoUpdate({ owner: to });
});
