// SPDX-License-Identifier: Apache-2.0
pragma solidity ^0.8.24;

import {Governed} from "./Governed.sol";
import {ChainKind} from "./MachineTypes.sol";

/// Address book and governance values (chain-evm 2.6). Every value is settable by the protocol owner.
contract InfoDesk is Governed {
    uint16 public localChainId;
    uint64 public graceDuration;
    uint64 public runoffDuration;
    uint64 public subscriptionPeriodLength;
    bool public isMachineRelocationEnabled;

    mapping(bytes32 key => address) private _peers;
    mapping(uint16 protocolChainId => ChainKind) private _chainKinds;
    mapping(address addr => bool) private _machineDataContracts;

    event PeerSet(bytes32 indexed key, address indexed addr);
    event PeerUnset(bytes32 indexed key, address indexed previous);
    event GraceDurationSet(uint64 value);
    event RunoffDurationSet(uint64 value);
    event SubscriptionPeriodLengthSet(uint64 value);
    event LocalChainIdSet(uint16 value);
    event ChainRegistered(uint16 indexed protocolChainId, ChainKind kind, bytes32 nativeChainId, uint32 messagingVendorId);
    event ChainRemoved(uint16 indexed protocolChainId);
    event MachineRelocationEnabledSet(bool value);
    event MachineDataContractRegistered(address indexed addr);
    event MachineDataContractRemoved(address indexed addr);

    function initialize(address protocolOwner) external initializer {
        __Ownable_init(protocolOwner);
    }

    /// Returns zero when the role is not set.
    function peer(bytes32 key) external view returns (address) {
        return _peers[key];
    }

    function chainKindOf(uint16 protocolChainId) external view returns (ChainKind) {
        return _chainKinds[protocolChainId];
    }

    function isMachineDataContract(address addr) external view returns (bool) {
        return _machineDataContracts[addr];
    }

    function setPeer(bytes32 key, address addr) external onlyOwner {
        _peers[key] = addr;
        emit PeerSet(key, addr);
    }

    function unsetPeer(bytes32 key) external onlyOwner {
        emit PeerUnset(key, _peers[key]);
        delete _peers[key];
    }

    function setLocalChainId(uint16 value) external onlyOwner {
        localChainId = value;
        emit LocalChainIdSet(value);
    }

    function setGraceDuration(uint64 value) external onlyOwner {
        graceDuration = value;
        emit GraceDurationSet(value);
    }

    function setRunoffDuration(uint64 value) external onlyOwner {
        runoffDuration = value;
        emit RunoffDurationSet(value);
    }

    function setSubscriptionPeriodLength(uint64 value) external onlyOwner {
        subscriptionPeriodLength = value;
        emit SubscriptionPeriodLengthSet(value);
    }

    function setMachineRelocationEnabled(bool value) external onlyOwner {
        isMachineRelocationEnabled = value;
        emit MachineRelocationEnabledSet(value);
    }

    function registerChain(uint16 protocolChainId, ChainKind kind, bytes32 nativeChainId, uint32 messagingVendorId)
        external
        onlyOwner
    {
        _chainKinds[protocolChainId] = kind;
        emit ChainRegistered(protocolChainId, kind, nativeChainId, messagingVendorId);
    }

    function removeChain(uint16 protocolChainId) external onlyOwner {
        delete _chainKinds[protocolChainId];
        emit ChainRemoved(protocolChainId);
    }

    function registerMachineDataContract(address addr) external onlyOwner {
        _machineDataContracts[addr] = true;
        emit MachineDataContractRegistered(addr);
    }

    function removeMachineDataContract(address addr) external onlyOwner {
        delete _machineDataContracts[addr];
        emit MachineDataContractRemoved(addr);
    }
}
