// SPDX-License-Identifier: Apache-2.0
pragma solidity ^0.8.24;

import {Peered} from "./Governed.sol";

/// Home chain ordinals (chain-evm 2.5, 3.6).
contract CrossChainMirror is Peered {
    /// 0 = none recorded.
    mapping(uint256 machineId => uint16) public homeChainOf;

    event HomeChainRegistered(uint256 indexed machineId, uint16 homeChainId);
    event HomeChainUpdated(uint256 indexed machineId, uint16 previousChainId, uint16 newChainId);
    event HomeChainCleared(uint256 indexed machineId);
    event HomeChainReissued(uint256 indexed oldId, uint256 indexed newId, uint16 chainId);
    event MirroredDataSet(uint256 indexed machineId, bytes32 indexed key);
    event MirroredChainDataSet(bytes32 indexed domain, uint16 indexed chainId, bytes32 indexed key);
    event ForeignRetirementDeferred(uint256 indexed machineId);

    function initialize(address protocolOwner, address infoDesk_) external initializer {
        __Peered_init(protocolOwner, infoDesk_);
    }

    function isHomedLocally(uint256 machineId) external view returns (bool) {
        return homeChainOf[machineId] == _localChainId();
    }

    // Steps of an activation, a relocation and a reissue; all start at MachineStateAndSync.

    function registerHome(uint256 machineId) external onlyPeer(MACHINE_STATE_AND_SYNC) {
        _setHome(machineId, _localChainId());
    }

    function setHome(uint256 machineId, uint16 homeChainId) external onlyPeer(MACHINE_STATE_AND_SYNC) {
        _setHome(machineId, homeChainId);
    }

    function reissue(uint256 oldId, uint256 newId) external onlyPeer(MACHINE_STATE_AND_SYNC) {
        uint16 chainId = homeChainOf[oldId];
        delete homeChainOf[oldId];
        homeChainOf[newId] = chainId;
        emit HomeChainReissued(oldId, newId, chainId);
    }

    /// Test hook: sets any home for any id, with or without a token; 0 clears it.
    function devSetHomeChain(uint256 machineId, uint16 homeChainId) external onlyOwner {
        _setHome(machineId, homeChainId);
    }

    /// Test hook: emits events for mirrored data that is not stored.
    function devSetMirroredData(uint256 machineId, bytes32 key) external onlyOwner {
        emit MirroredDataSet(machineId, key);
    }

    function devSetMirroredChainData(bytes32 domain, uint16 chainId, bytes32 key) external onlyOwner {
        emit MirroredChainDataSet(domain, chainId, key);
    }

    function _setHome(uint256 machineId, uint16 homeChainId) private {
        uint16 previous = homeChainOf[machineId];
        homeChainOf[machineId] = homeChainId;
        if (homeChainId == 0) {
            emit HomeChainCleared(machineId);
        } else if (previous == 0) {
            emit HomeChainRegistered(machineId, homeChainId);
        } else {
            emit HomeChainUpdated(machineId, previous, homeChainId);
        }
    }
}
