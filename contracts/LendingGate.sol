// SPDX-License-Identifier: Apache-2.0
pragma solidity ^0.8.24;

import {RatingStatement, RatingStatements} from "./RatingStatements.sol";

interface IMachineOwners {
    function ownerOf(uint256 machineId) external view returns (address);
}

/// Example consumer of rating statements: a gate that a lender asks before it lends against a machine. Not audited, and not part of the service.
contract LendingGate {
    /// Conditions of the lender, fixed at deployment.
    struct Terms {
        /// Key of the rating service. A rotation needs a new gate, or a gate whose owner may change it.
        address signer;
        /// Version of the rating model, such as `mcr/2`: another model's points mean something else.
        string model;
        uint16 minScoreHundredths;
        /// Oldest accepted rating, in seconds; at most the lifetime of a statement.
        uint64 maxAge;
    }

    IMachineOwners public immutable machineRegistry;
    bytes32 private immutable _separator;
    Terms private _terms;

    error NotBonded();
    error NegativeFlag();
    error WrongModel(string model);
    error ScoreTooLow(uint16 scoreHundredths);
    error TooOld(uint64 ratedAt);
    error NotOwner(address owner);

    constructor(string memory statementName, address machineRegistry_, Terms memory terms) {
        machineRegistry = IMachineOwners(machineRegistry_);
        _separator = RatingStatements.domainSeparator(statementName, machineRegistry_);
        _terms = terms;
    }

    /// Reverts with the reason unless the statement satisfies the terms and the borrower owns the machine now.
    function requireEligible(RatingStatement calldata statement, bytes calldata signature, address borrower)
        external
        view
    {
        Terms memory terms = _terms;
        RatingStatements.check(statement, signature, _separator, terms.signer);
        if (!statement.bonded) revert NotBonded();
        if (statement.negativeFlag) revert NegativeFlag();
        if (keccak256(bytes(statement.model)) != keccak256(bytes(terms.model))) revert WrongModel(statement.model);
        if (statement.scoreHundredths < terms.minScoreHundredths) revert ScoreTooLow(statement.scoreHundredths);
        if (block.timestamp - statement.ratedAt > terms.maxAge) revert TooOld(statement.ratedAt);
        address owner = machineRegistry.ownerOf(statement.machineId);
        if (owner != borrower) revert NotOwner(owner);
    }
}
