// SPDX-License-Identifier: Apache-2.0
pragma solidity ^0.8.24;

import {Governed} from "./Governed.sol";

/// Negative flags and trust overrides by machine id, independent of its home (chain-evm 2.7).
contract AdminFlags is Governed {
    struct Flags {
        uint64 flaggedAt;
        bool overrideSet;
        uint8 trustOverride;
    }

    uint8 private constant HIGHEST_TRUST_OVERRIDE = 100;

    mapping(uint256 machineId => Flags) private _flags;

    event MachineFlagged(uint256 indexed machineId, uint64 flaggedAt);
    event FlagCleared(uint256 indexed machineId);
    event TrustOverrideSet(uint256 indexed machineId, uint8 value);
    event TrustOverrideCleared(uint256 indexed machineId);

    error InvalidTrustOverride(uint256 value);

    function initialize(address protocolOwner) external initializer {
        __Ownable_init(protocolOwner);
    }

    /// Returns zeros for an unknown machine.
    function flagsOf(uint256 machineId) external view returns (uint64 flaggedAt, bool overrideSet, uint8 trustOverride) {
        Flags storage flags = _flags[machineId];
        return (flags.flaggedAt, flags.overrideSet, flags.trustOverride);
    }

    function flagMachine(uint256 machineId) external onlyOwner {
        _setFlaggedAt(machineId, uint64(block.timestamp));
    }

    function clearFlag(uint256 machineId) external onlyOwner {
        _flags[machineId].flaggedAt = 0;
        emit FlagCleared(machineId);
    }

    function setTrustOverride(uint256 machineId, uint8 value) external onlyOwner {
        if (value > HIGHEST_TRUST_OVERRIDE) revert InvalidTrustOverride(value);
        _flags[machineId].overrideSet = true;
        _flags[machineId].trustOverride = value;
        emit TrustOverrideSet(machineId, value);
    }

    function clearTrustOverride(uint256 machineId) external onlyOwner {
        _flags[machineId].overrideSet = false;
        _flags[machineId].trustOverride = 0;
        emit TrustOverrideCleared(machineId);
    }

    /// Test hook: sets a flag with any timestamp.
    function devFlagMachineAt(uint256 machineId, uint64 flaggedAt) external onlyOwner {
        _setFlaggedAt(machineId, flaggedAt);
    }

    function _setFlaggedAt(uint256 machineId, uint64 flaggedAt) private {
        _flags[machineId].flaggedAt = flaggedAt;
        emit MachineFlagged(machineId, flaggedAt);
    }
}
