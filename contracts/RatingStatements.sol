// SPDX-License-Identifier: Apache-2.0
pragma solidity ^0.8.24;

import {ECDSA} from "@openzeppelin/contracts/utils/cryptography/ECDSA.sol";

/// A machine's rating as the rating service signs it. Times in Unix seconds.
struct RatingStatement {
    uint256 machineId;
    uint16 homeChain;
    string model;
    string rating;
    uint16 scoreHundredths;
    bool bonded;
    bool negativeFlag;
    string kyb;
    string chip;
    uint256 blockNumber;
    bytes32 blockHash;
    uint64 altSlot;
    uint64 ratedAt;
    uint64 validUntil;
    bytes32 explanationHash;
}

/// Checks signed rating statements (EIP-712). What a statement says, and whether that is enough, is the consumer's decision.
library RatingStatements {
    /// Longest time between `ratedAt` and `validUntil`.
    uint64 internal constant MAX_LIFETIME = 1 days;

    bytes32 private constant DOMAIN_TYPEHASH =
        keccak256("EIP712Domain(string name,string version,uint256 chainId,address verifyingContract)");
    bytes32 private constant STATEMENT_TYPEHASH = keccak256(
        "RatingStatement(uint256 machineId,uint16 homeChain,string model,string rating,uint16 scoreHundredths,bool bonded,bool negativeFlag,string kyb,string chip,uint256 blockNumber,bytes32 blockHash,uint64 altSlot,uint64 ratedAt,uint64 validUntil,bytes32 explanationHash)"
    );

    error WrongSigner(address signer);
    error NotValidYet(uint64 ratedAt);
    error Expired(uint64 validUntil);
    error WrongLifetime(uint64 ratedAt, uint64 validUntil);

    /// Returns the domain of a deployment: the name of its statements, and its machine registry on this chain.
    function domainSeparator(string memory name, address machineRegistry) internal view returns (bytes32) {
        return keccak256(
            abi.encode(DOMAIN_TYPEHASH, keccak256(bytes(name)), keccak256("1"), block.chainid, machineRegistry)
        );
    }

    /// Reverts unless `signer` signed the statement for the domain, and the statement is valid now. Rejects high s and compact signatures.
    function check(RatingStatement memory statement, bytes memory signature, bytes32 separator, address signer)
        internal
        view
    {
        bytes32 digest = keccak256(abi.encodePacked(hex"1901", separator, hashStatement(statement)));
        (address recovered, ECDSA.RecoverError problem,) = ECDSA.tryRecover(digest, signature);
        if (problem != ECDSA.RecoverError.NoError || recovered != signer || signer == address(0)) {
            revert WrongSigner(recovered);
        }
        (uint64 ratedAt, uint64 validUntil) = (statement.ratedAt, statement.validUntil);
        if (validUntil < ratedAt || validUntil - ratedAt > MAX_LIFETIME) revert WrongLifetime(ratedAt, validUntil);
        if (block.timestamp < ratedAt) revert NotValidYet(ratedAt);
        if (block.timestamp > validUntil) revert Expired(validUntil);
    }

    function hashStatement(RatingStatement memory s) internal pure returns (bytes32) {
        // Two parts, because the stack cannot hold sixteen values; all of them are single words.
        return keccak256(
            bytes.concat(
                abi.encode(
                    STATEMENT_TYPEHASH,
                    s.machineId,
                    s.homeChain,
                    keccak256(bytes(s.model)),
                    keccak256(bytes(s.rating)),
                    s.scoreHundredths,
                    s.bonded,
                    s.negativeFlag
                ),
                abi.encode(
                    keccak256(bytes(s.kyb)),
                    keccak256(bytes(s.chip)),
                    s.blockNumber,
                    s.blockHash,
                    s.altSlot,
                    s.ratedAt,
                    s.validUntil,
                    s.explanationHash
                )
            )
        );
    }
}
