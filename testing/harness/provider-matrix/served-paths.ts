/** Paths whose responses depend on the chains: every route for machines, operators and wallets of a devnet. */
import type { Fixtures } from '../../../devnet/fixtures.ts';

const UNKNOWN_ID = '12345678901234567890';

/** Returns the paths, one machine after another; `names` selects machines, undefined: all. */
export function listServedPaths({ machines, operators, wallets }: Fixtures, names?: readonly string[]): string[] {
  const selected = machines.filter(({ name }) => names === undefined || names.includes(name));
  const paths = [
    ...selected.flatMap(({ did, id, expect }) => [
      ...Object.keys(expect),
      ...[`/mcr/${did}/explanation`, `/mcr/${did}/history`, `/machines/${id}/events`],
    ]),
    ...selected.flatMap(({ operator }) => (operator === null ? [] : [`/operator/${operator}/machines`])),
    ...[...operators, ...wallets].flatMap(({ expect }) => Object.keys(expect)),
    ...[`/mcr/did:svc:${UNKNOWN_ID}`, `/machines/${UNKNOWN_ID}`, '/active-machines'],
  ];
  return [...new Set(paths)];
}
