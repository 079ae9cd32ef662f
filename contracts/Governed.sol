// SPDX-License-Identifier: Apache-2.0
pragma solidity ^0.8.24;

import {OwnableUpgradeable} from "@openzeppelin/contracts-upgradeable/access/OwnableUpgradeable.sol";
import {Initializable} from "@openzeppelin/contracts-upgradeable/proxy/utils/Initializable.sol";
import {UUPSUpgradeable} from "@openzeppelin/contracts-upgradeable/proxy/utils/UUPSUpgradeable.sol";
import {
    ICrossChainMirror,
    IInfoDesk,
    IMachineRegistry,
    IMachineStateAndSync,
    IMachineSubscription
} from "./Peers.sol";

/// Base of all contracts: upgradeable behind a proxy, with a protocol owner.
abstract contract Governed is Initializable, OwnableUpgradeable, UUPSUpgradeable {
    error NotProtocolOwner();

    constructor() {
        _disableInitializers();
    }

    function _checkOwner() internal view virtual override {
        if (msg.sender != owner()) revert NotProtocolOwner();
    }

    function _authorizeUpgrade(address) internal override onlyOwner {}
}

/// A governed contract that finds its peers through InfoDesk.
abstract contract Peered is Governed {
    bytes32 internal constant MACHINE_REGISTRY = keccak256("MACHINE_REGISTRY");
    bytes32 internal constant MACHINE_STATE_AND_SYNC = keccak256("MACHINE_STATE_AND_SYNC");
    bytes32 internal constant MACHINE_SUBSCRIPTION = keccak256("MACHINE_SUBSCRIPTION");
    bytes32 internal constant CROSS_CHAIN_MIRROR = keccak256("CROSS_CHAIN_MIRROR");

    address public infoDesk;

    error NotPeer();

    modifier onlyPeer(bytes32 role) {
        if (msg.sender != IInfoDesk(infoDesk).peer(role)) revert NotPeer();
        _;
    }

    function __Peered_init(address protocolOwner, address infoDesk_) internal onlyInitializing {
        __Ownable_init(protocolOwner);
        infoDesk = infoDesk_;
    }

    function _registry() internal view returns (IMachineRegistry) {
        return IMachineRegistry(IInfoDesk(infoDesk).peer(MACHINE_REGISTRY));
    }

    function _state() internal view returns (IMachineStateAndSync) {
        return IMachineStateAndSync(IInfoDesk(infoDesk).peer(MACHINE_STATE_AND_SYNC));
    }

    function _subscription() internal view returns (IMachineSubscription) {
        return IMachineSubscription(IInfoDesk(infoDesk).peer(MACHINE_SUBSCRIPTION));
    }

    function _mirror() internal view returns (ICrossChainMirror) {
        return ICrossChainMirror(IInfoDesk(infoDesk).peer(CROSS_CHAIN_MIRROR));
    }

    function _localChainId() internal view returns (uint16) {
        return IInfoDesk(infoDesk).localChainId();
    }

    /// True for the machine's owner and for its controller.
    function _mayAct(address account, uint256 machineId) internal view returns (bool) {
        IMachineRegistry registry = _registry();
        return account == registry.ownerOf(machineId) || account == registry.controllerOf(machineId);
    }
}
