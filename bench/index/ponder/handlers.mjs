// What does ponder do with a transfer?
import { ponder } from 'ponder:registry';
import { machineOwner } from 'ponder:schema';

const NOBODY = '0x0000000000000000000000000000000000000000';

ponder.on('FleetRegistry:Transfer', async ({ event, context }) => {
  const { to, tokenId } = event.args;
  if (to === NOBODY) await context.db.delete(machineOwner, { id: tokenId });
  else await context.db.insert(machineOwner).values({ id: tokenId, owner: to }).onConflictDoUpdate({ owner: to });
});
