/** Tests the texts of the machine page that depend on the home chain. */
import { expect, it } from 'vitest';
import { describeNoAccounts } from './texts.ts';

it('names an attested chip as evidence for revenue on the main chain only', () => {
  expect(describeNoAccounts(false)).toMatch(/counts as declared unless an attested chip signs it\.$/);
  expect(describeNoAccounts(true)).toMatch(/counts as declared\.$/);
});
