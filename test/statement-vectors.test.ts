/** Rating statements against the vectors of eth-account and against viem, which share no code with the service (design/provable 1). */
import { hashTypedData, keccak256, recoverTypedDataAddress, stringToHex, toHex } from 'viem';
import { describe, expect, it } from 'vitest';
import { canonicalText } from '../src/domain/json/canonical-json.ts';
import {
  hashExplanation,
  hashStatement,
  signStatement,
  STATEMENT_MEMBERS,
  STATEMENT_TYPE,
  STATEMENT_TYPES,
  type RatingStatement,
} from '../src/domain/statements/rating-statement.ts';
import { STATEMENT_VECTORS, VECTOR_KEY } from '../testing/fixtures/statement-vectors.ts';
import { rule } from './conformance/rule.ts';

const { domain, types, address, explanation, explanationText, cases } = STATEMENT_VECTORS;

/** Converts the texts and hashes of a statement to the types that viem takes. */
function toTypedData(statement: RatingStatement) {
  const { machineId, blockNumber, altSlot, ratedAt, validUntil, blockHash, explanationHash } = statement;
  return {
    domain,
    types: STATEMENT_TYPES,
    primaryType: STATEMENT_TYPE,
    message: {
      ...statement,
      machineId: BigInt(machineId),
      blockNumber: BigInt(blockNumber),
      altSlot: BigInt(altSlot),
      ratedAt: BigInt(ratedAt),
      validUntil: BigInt(validUntil),
      blockHash: blockHash as `0x${string}`,
      explanationHash: explanationHash as `0x${string}`,
    },
  } as const;
}

it('publishes the types of the vectors', () => {
  expect({ [STATEMENT_TYPE]: STATEMENT_MEMBERS }).toEqual(types);
});

describe.each(cases)('the statement "$name"', ({ statement, digest, signature }) => {
  it('has the digest and signature of eth-account', () => {
    rule('statement.eip712');
    expect(toHex(hashStatement(statement, domain))).toBe(digest);
    expect(signStatement(statement, domain, VECTOR_KEY)).toEqual({
      statement,
      domain,
      types,
      signature,
      signer: address,
    });
  });

  it('has the digest and signer of viem', async () => {
    expect(hashTypedData(toTypedData(statement))).toBe(digest);
    expect(await recoverTypedDataAddress({ ...toTypedData(statement), signature })).toBe(address);
  });
});

it('hashes the RFC 8785 form of the explanation', () => {
  rule('statement.explanation-hash');
  expect(canonicalText(explanation)).toBe(explanationText);
  expect(hashExplanation(explanation)).toBe(keccak256(stringToHex(explanationText)));
  expect(hashExplanation(explanation)).toBe(cases[0]!.statement.explanationHash);
});
