/** Compares the deployments whose indexes the database holds with the configured ones, as the start does, without a claim. */
import { toIndexedDeployment } from '../../src/composition/indexed-deployment.ts';
import type { Config } from '../../src/config.ts';
import { explainCause } from '../../src/domain/index-rules/index-cause.ts';
import { formatAltIndexIdentity } from '../../src/indexing/alt/alt-indexers.ts';
import { formatIndexIdentity, formatOptionalContracts } from '../../src/indexing/loops/index-identity.ts';
import type { Store } from '../../src/ports/store.ts';
import type { Finding } from './check-result.ts';
import { addDetail, toCauseFinding } from './rehearsal/cause-finding.ts';

type IdentityReads = Pick<Store, 'readIdentities' | 'readMainChainCheckpoint' | 'readAltWalk'>;

/** Variables by the parts of an identity. */
const MAIN_VARIABLES = {
  chain: 'MAIN_CHAIN_ID',
  start: 'MAIN_START_BLOCK',
  machines: 'MACHINE_REGISTRY_ADDRESS',
  homes: 'CROSS_CHAIN_MIRROR_ADDRESS',
  events: 'EVENT_REGISTRY_ADDRESS',
  'legacy-events': 'LEGACY_EVENT_REGISTRY_ADDRESS',
  attestations: 'ATTESTATION_REGISTRY_ADDRESS',
  flags: 'ADMIN_FLAGS_ADDRESS',
};
const ALT_VARIABLES = { genesis: 'ALT_GENESIS_HASH', first: 'ALT_FIRST_SLOT', events: 'ALT_EVENT_REGISTRY_PROGRAM' };

/** Returns a finding per index of another deployment. An index without rows is not refused. */
export async function examineIndexedDeployments(
  store: IdentityReads,
  { mainChain, altChain }: Pick<Config, 'mainChain' | 'altChain'>,
): Promise<Finding[]> {
  const stored = parseIdentities(await store.readIdentities());
  const findings: Finding[] = [];
  if (mainChain !== undefined && (await store.readMainChainCheckpoint()) !== undefined) {
    const deployment = toIndexedDeployment(mainChain);
    const differing = [
      ...listDiffering(stored.get('main-chain'), formatIndexIdentity(deployment), MAIN_VARIABLES),
      ...listDiffering(stored.get('main-chain-contracts'), formatOptionalContracts(deployment), MAIN_VARIABLES),
    ];
    if (differing.length > 0) findings.push(refuse('other-deployment', differing));
  }
  if (altChain?.programs !== undefined && (await store.readAltWalk()).revision > 0) {
    const { genesisHash, firstSlot, programs } = altChain;
    const identity = formatAltIndexIdentity({ genesisHash, firstSlot, eventRegistry: programs.eventRegistry });
    const differing = listDiffering(stored.get('alt-events'), identity, ALT_VARIABLES);
    if (differing.length > 0) findings.push(refuse('alt-index-other-deployment', differing));
  }
  return findings;
}

function refuse(kind: 'other-deployment' | 'alt-index-other-deployment', differing: readonly string[]): Finding {
  return addDetail(toCauseFinding(explainCause({ kind })), `filled with ${differing.join(', ')}`);
}

/** Parses lines of a stream and its identity. */
function parseIdentities(text: string): ReadonlyMap<string, string> {
  const lines = text.split('\n').filter((line) => line !== '');
  return new Map(lines.map((line) => [line.slice(0, line.indexOf(' ')), line.slice(line.indexOf(' ') + 1)] as const));
}

/** Returns the stored values that differ, by variable. The start records an identity that is missing. */
function listDiffering(
  stored: string | undefined,
  configured: string,
  variables: Readonly<Record<string, string>>,
): string[] {
  if (stored === undefined) return [];
  const parts = configured.split(' ');
  const differing = stored.split(' ').filter((part) => !parts.includes(part));
  return differing.map((part) => {
    const [name = '', value = ''] = part.split('=');
    return value === 'none' ? `no ${variables[name] ?? name}` : `${variables[name] ?? name}=${value}`;
  });
}
