// SPDX-License-Identifier: Apache-2.0
pragma solidity ^0.8.24;

import {Peered} from "./Governed.sol";
import {IMachineRegistry} from "./Peers.sol";

/// KYB attestations by operator and chip attestations by machine (chain-evm 2.8, provable 4).
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

    /// Evidence of a chip record; a record from before it was stored has a chipRef of 0 until it is attested again.
    struct ChipEvidenceRecord {
        bytes32 chipRef;
        bytes32 evidenceHash;
    }

    mapping(uint256 machineId => ChipEvidenceRecord) public chipEvidenceOf;
    /// Machine that was attested with the chip last.
    mapping(bytes32 chipRef => uint256 machineId) public machineOfChip;
    /// Machine of the last revoked record of the chip. Never cleared: a chip that was revoked once can only be reinstated.
    mapping(bytes32 chipRef => uint256 machineId) private _revokedOn;

    event KybAttested(address indexed operator, uint64 issuedAt, uint64 expiresAt);
    event KybRevoked(address indexed operator, uint64 revokedAt);
    event ChipAttested(uint256 indexed machineId, uint64 issuedAt, uint64 expiresAt, bytes32 certificateHash);
    event ChipRevoked(uint256 indexed machineId, uint64 revokedAt);
    event KybEvidence(address indexed operator, bytes32 evidenceHash);
    event ChipEvidence(uint256 indexed machineId, bytes32 indexed chipRef, bytes32 evidenceHash);
    event ChipReinstated(uint256 indexed machineId, bytes32 indexed chipRef, bytes32 reasonHash);

    error NotAttester();
    error NoAttestation();
    error ZeroOperator();
    error ZeroChipRef();
    error NoReason();
    error ChipInUse(uint256 otherMachineId);
    error ChipRevokedBefore(uint256 machineId);

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
    function attestKyb(address operator, uint64 expiresAt, bytes32 evidenceHash) external onlyAttester {
        if (operator == address(0)) revert ZeroOperator();
        _kyb[operator] = Attestation(uint64(block.timestamp), expiresAt, 0);
        emit KybAttested(operator, uint64(block.timestamp), expiresAt);
        emit KybEvidence(operator, evidenceHash);
    }

    function revokeKyb(address operator) external onlyAttester {
        if (_kyb[operator].issuedAt == 0) revert NoAttestation();
        _kyb[operator].revokedAt = uint64(block.timestamp);
        emit KybRevoked(operator, uint64(block.timestamp));
    }

    /// A chip backs one machine at a time, and a chip that was ever revoked needs `reinstateChip`.
    function attestChip(
        uint256 machineId,
        uint64 expiresAt,
        bytes32 certificateHash,
        bytes32 chipRef,
        bytes32 evidenceHash
    ) external onlyAttester {
        uint256 revokedOn = _revokedOn[chipRef];
        if (revokedOn != 0) revert ChipRevokedBefore(revokedOn);
        _attestChip(machineId, expiresAt, certificateHash, chipRef, evidenceHash);
    }

    function reinstateChip(
        uint256 machineId,
        uint64 expiresAt,
        bytes32 certificateHash,
        bytes32 chipRef,
        bytes32 evidenceHash,
        bytes32 reasonHash
    ) external onlyAttester {
        if (reasonHash == 0) revert NoReason();
        _attestChip(machineId, expiresAt, certificateHash, chipRef, evidenceHash);
        emit ChipReinstated(machineId, chipRef, reasonHash);
    }

    function revokeChip(uint256 machineId) external onlyAttester {
        if (_chips[machineId].issuedAt == 0) revert NoAttestation();
        _chips[machineId].revokedAt = uint64(block.timestamp);
        bytes32 chipRef = chipEvidenceOf[machineId].chipRef;
        if (chipRef != 0) _revokedOn[chipRef] = machineId;
        ++chipLogCount[machineId];
        emit ChipRevoked(machineId, uint64(block.timestamp));
    }

    function _attestChip(
        uint256 machineId,
        uint64 expiresAt,
        bytes32 certificateHash,
        bytes32 chipRef,
        bytes32 evidenceHash
    ) private {
        if (chipRef == 0) revert ZeroChipRef();
        uint256 other = machineOfChip[chipRef];
        if (other != machineId && _isBackedBy(other, chipRef)) revert ChipInUse(other);
        machineOfChip[chipRef] = machineId;
        chipEvidenceOf[machineId] = ChipEvidenceRecord(chipRef, evidenceHash);
        _chips[machineId] = Attestation(uint64(block.timestamp), expiresAt, 0);
        ++chipLogCount[machineId];
        emit ChipAttested(machineId, uint64(block.timestamp), expiresAt, certificateHash);
        emit ChipEvidence(machineId, chipRef, evidenceHash);
    }

    /// Returns whether the machine has a record of this chip that is neither revoked nor expired.
    function _isBackedBy(uint256 machineId, bytes32 chipRef) private view returns (bool) {
        Attestation storage chip = _chips[machineId];
        return chip.issuedAt != 0 && chip.revokedAt == 0
            && (chip.expiresAt == 0 || chip.expiresAt > block.timestamp)
            && chipEvidenceOf[machineId].chipRef == chipRef;
    }
}
