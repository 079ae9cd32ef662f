// SPDX-License-Identifier: Apache-2.0
pragma solidity ^0.8.24;

import {DIDDocument, SubscriptionStatus} from "./MachineTypes.sol";

/// Interfaces between the contracts of the local main chain. Addresses are looked up in InfoDesk by role.

interface IInfoDesk {
    function peer(bytes32 key) external view returns (address);
    function localChainId() external view returns (uint16);
    function graceDuration() external view returns (uint64);
    function runoffDuration() external view returns (uint64);
    function subscriptionPeriodLength() external view returns (uint64);
}

interface IMachineRegistry {
    function ownerOf(uint256 tokenId) external view returns (address);
    function controllerOf(uint256 tokenId) external view returns (address);
    function operatorOf(uint256 tokenId) external view returns (address);
    function computeTokenId(string calldata machineType_, bytes calldata credentialSubject_) external pure returns (uint256);
    function mint(address to, uint256 tokenId, DIDDocument calldata doc, string calldata machineType_, address manufacturer_) external;
    function retire(uint256 tokenId) external;
    function bridgeOut(uint256 tokenId) external;
    function bridgeIn(address to, uint256 tokenId, address controller, string calldata machineType_) external;
    function reissue(uint256 oldId, uint256 newId, string calldata machineType_, bytes calldata credentialSubject_) external;
}

interface IMachineStateAndSync {
    function isRelocating(uint256 machineId) external view returns (bool);
    function isTechnicalPaused(uint256 machineId) external view returns (bool);
    function isTechnicalPausedGlobal() external view returns (bool);
    function noteSubscriptionPaused(uint256 machineId, bool value) external;
}

interface IMachineSubscription {
    function subscriptionStatus(uint256 machineId) external view returns (SubscriptionStatus);
    function activate(uint256 machineId, uint8 tier) external;
    function terminate(uint256 machineId, address operator) external;
    function reissue(uint256 oldId, uint256 newId) external;
}

interface ICrossChainMirror {
    function homeChainOf(uint256 machineId) external view returns (uint16);
    function registerHome(uint256 machineId) external;
    function setHome(uint256 machineId, uint16 homeChainId) external;
    function reissue(uint256 oldId, uint256 newId) external;
}

interface IEventImporter {
    function importEvents(uint256 machineId, uint256 priorEventCount_) external;
}
