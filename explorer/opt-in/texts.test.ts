/** Tests that the opt-in tab finds the obstacles that the service refuses an opt-in for. */
import { describe, expect, it } from 'vitest';
import { rule } from '../../test/conformance/rule.ts';
import type { Explanation } from '../parts/wire.ts';
import { findObstacles } from './texts.ts';

const explain = (
  availability: Explanation['availability'],
  subscription: Explanation['inputs']['subscription'] = 'Active',
  slot?: string,
) => ({
  availability,
  bond_status: subscription === 'Active' || subscription === 'Grace' ? ('bonded' as const) : ('unbonded' as const),
  inputs: { subscription, ...(slot !== undefined && { slot }) } as Explanation['inputs'],
});

describe('findObstacles', () => {
  it.each([
    ['available', []],
    ['paused', ['The machine is paused. Opt in when it is available again.']],
    ['deactivated', ['The protocol deactivated this machine, so it cannot opt in.']],
    [
      'unreadable',
      [
        'The service cannot read whether the machine is paused, so it would refuse an opt-in now. Opt in when the availability is known again.',
      ],
    ],
  ] as const)('finds what stops a machine of the main chain that is %s', (availability, obstacles) => {
    rule('pages.opt-in-preconditions');
    expect(findObstacles(explain(availability))).toEqual(obstacles);
  });

  it.each(['available', 'paused', 'unreadable'] as const)(
    'finds none for a bonded machine of the alt chain that is %s',
    (availability) => {
      rule('pages.opt-in-preconditions');
      expect(findObstacles(explain(availability, 'Active', '7'))).toEqual([]);
    },
  );

  it.each([
    ['NotActivated', 'The machine is not bonded. Bond it, wait for confirmation, then opt in.'],
    ['Runoff', 'The machine is not bonded. Bond it, wait for confirmation, then opt in.'],
    ['Terminated', 'The bond was terminated, so this machine cannot opt in.'],
  ] as const)('finds a bond in the state %s on either chain', (subscription, obstacle) => {
    expect(findObstacles(explain('available', subscription))).toEqual([obstacle]);
    expect(findObstacles(explain('paused', subscription, '7'))).toEqual([obstacle]);
  });

  it('finds no obstacle in Grace, and all obstacles at once', () => {
    expect(findObstacles(explain('available', 'Grace'))).toEqual([]);
    expect(findObstacles(explain('paused', 'Runoff'))).toHaveLength(2);
  });
});
