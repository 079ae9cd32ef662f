// SPDX-License-Identifier: Apache-2.0
pragma solidity ^0.8.24;

import {Peered} from "./Governed.sol";
import {IMachineRegistry} from "./Peers.sol";

/// KYB attestations by operator and chip attestations by machine (chain-evm 2.8).
contract AttestationRegistry is Peered {
    /// issuedAt 0 = no record; expiresAt 0 = never; revokedAt 0 = not revoked.
    struct Attestation {
        uint64 issuedAt;
        uint64 expiresAt;
        uint64 revokedAt;
    }

    mapping(address account => bool) public isAttester;
    mapping(address operator => Attestation) private _kyb;
    mapping(uint256 machineId => Attestation) private _chips;
    /// Number of ChipAttested and ChipRevoked logs of a machine, which proves to a reader of logs that none is missing.
    mapping(uint256 machineId => uint256) public chipLogCount;

    event KybAttested(address indexed operator, uint64 issuedAt, uint64 expiresAt);
    event KybRevoked(address indexed operator, uint64 revokedAt);
    event ChipAttested(uint256 indexed machineId, uint64 issuedAt, uint64 expiresAt, bytes32 certificateHash);
    event ChipRevoked(uint256 indexed machineId, uint64 revokedAt);

    error NotAttester();
    error NoAttestation();

    modifier onlyAttester() {
        if (!isAttester[msg.sender]) revert NotAttester();
        _;
    }

    function initialize(address protocolOwner, address infoDesk_) external initializer {
        __Peered_init(protocolOwner, infoDesk_);
    }

    function setAttester(address account, bool value) external onlyOwner {
        isAttester[account] = value;
    }

    function kybOf(address operator) external view returns (Attestation memory) {
        return _kyb[operator];
    }

    function chipOf(uint256 machineId) external view returns (Attestation memory) {
        return _chips[machineId];
    }

    /// Returns operator and records at one block: the operator of the registry, or the owner when none is recorded.
    function recordsOf(uint256 machineId)
        external
        view
        returns (address operator, Attestation memory kyb, Attestation memory chip)
    {
        IMachineRegistry registry = _registry();
        try registry.operatorOf(machineId) returns (address recorded) {
            operator = recorded;
        } catch {}
        if (operator == address(0)) {
            try registry.ownerOf(machineId) returns (address tokenOwner) {
                operator = tokenOwner;
            } catch {}
        }
        return (operator, _kyb[operator], _chips[machineId]);
    }

    /// A new attestation replaces the record and clears its revocation.
    function attestKyb(address operator, uint64 expiresAt) external onlyAttester {
        _kyb[operator] = Attestation(uint64(block.timestamp), expiresAt, 0);
        emit KybAttested(operator, uint64(block.timestamp), expiresAt);
    }

    function revokeKyb(address operator) external onlyAttester {
        if (_kyb[operator].issuedAt == 0) revert NoAttestation();
        _kyb[operator].revokedAt = uint64(block.timestamp);
        emit KybRevoked(operator, uint64(block.timestamp));
    }

    function attestChip(uint256 machineId, uint64 expiresAt, bytes32 certificateHash) external onlyAttester {
        _chips[machineId] = Attestation(uint64(block.timestamp), expiresAt, 0);
        ++chipLogCount[machineId];
        emit ChipAttested(machineId, uint64(block.timestamp), expiresAt, certificateHash);
    }

    function revokeChip(uint256 machineId) external onlyAttester {
        if (_chips[machineId].issuedAt == 0) revert NoAttestation();
        _chips[machineId].revokedAt = uint64(block.timestamp);
        ++chipLogCount[machineId];
        emit ChipRevoked(machineId, uint64(block.timestamp));
    }
}
