/** Paths whose responses depend on the chains: every route for every machine, operator and wallet of a devnet. */
import type { Fixtures } from '../../../devnet/fixtures.ts';

const UNKNOWN_ID = '12345678901234567890';

/** Returns the paths in a fixed order, one machine after another. */
export function listServedPaths({ machines, operators, wallets, firstGeneration }: Fixtures): string[] {
  const paths = [
    ...machines.flatMap(({ did, id, expect }) => [
      ...Object.keys(expect),
      ...[`/mcr/${did}/explanation`, `/mcr/${did}/history`, `/machines/${id}/events`],
    ]),
    ...[...operators, ...wallets].flatMap(({ expect }) => Object.keys(expect)),
    ...machines.flatMap(({ operator }) => (operator === null ? [] : [`/operator/${operator}/machines`])),
    ...firstGeneration.map(({ address }) => `/mcr/did:svc:${address}`),
    ...[`/mcr/did:svc:${UNKNOWN_ID}`, `/machines/${UNKNOWN_ID}`, '/active-machines'],
  ];
  return [...new Set(paths)];
}
