// SPDX-License-Identifier: Apache-2.0
pragma solidity ^0.8.24;

import {Peered} from "./Governed.sol";
import {DIDDocument, SubscriptionStatus} from "./MachineTypes.sol";
import {IEventImporter, IMachineRegistry} from "./Peers.sol";

/// Activation, pauses, retirement, and test hooks for relocation (chain-evm 2.2, 3.5, 3.6).
contract MachineStateAndSync is Peered {
    mapping(uint256 machineId => bool) public isGeneralPaused;
    mapping(uint256 machineId => bool) public isTechnicalPaused;
    mapping(uint256 machineId => bool) public isOperatorPaused;
    mapping(uint256 machineId => bool) public isRelocating;
    bool public isGeneralPausedGlobal;
    bool public isTechnicalPausedGlobal;

    event MachineOnboarded(uint256 indexed machineId, address indexed operator);
    event MachineRetired(uint256 indexed machineId);
    event GeneralPausedSet(uint256 indexed machineId, bool value);
    event TechnicalPausedSet(uint256 indexed machineId, bool value);
    event OperatorPausedSet(uint256 indexed machineId, bool value);
    event SubscriptionPausedSet(uint256 indexed machineId, bool value);
    event GeneralPausedGlobalSet(bool value);
    event TechnicalPausedGlobalSet(bool value);
    event ChainFlagSet(uint16 indexed chainId, bytes32 indexed key, bool value);
    event RelocationCollected(uint256 indexed machineId, uint16 destinationChainId);
    event RelocationReplayed(uint256 indexed machineId);
    event RelocationFinalized(uint256 indexed machineId);
    event RelocationCancelled(uint256 indexed machineId);
    event CancelRequested(uint256 indexed machineId, uint64 nonce);

    error NotActive();
    error NotSuspended();
    error NotOwnerOrController();
    error MachineRelocating();

    modifier onlyOwnerOrController(uint256 machineId) {
        if (!_mayAct(msg.sender, machineId)) revert NotOwnerOrController();
        if (isRelocating[machineId]) revert MachineRelocating();
        _;
    }

    function initialize(address protocolOwner, address infoDesk_) external initializer {
        __Peered_init(protocolOwner, infoDesk_);
    }

    /// True when none of the five machine flags and neither global flag is set. Grace counts as the subscription's pause.
    function isMachineAvailable(uint256 machineId) external view returns (bool) {
        SubscriptionStatus status = _subscription().subscriptionStatus(machineId);
        bool subscriptionPaused = status != SubscriptionStatus.NotActivated && status != SubscriptionStatus.Active;
        return !(
            isGeneralPaused[machineId] || isTechnicalPaused[machineId] || isOperatorPaused[machineId]
                || subscriptionPaused || isRelocating[machineId] || isGeneralPausedGlobal || isTechnicalPausedGlobal
        );
    }

    /// The sender becomes the owner; the document's controller becomes the controller; the document's id is ignored.
    function activateMachine(
        DIDDocument calldata doc,
        string calldata machineType_,
        bytes calldata credentialSubject_,
        address manufacturer_,
        uint8 tier
    ) external returns (uint256 machineId) {
        IMachineRegistry registry = _registry();
        machineId = registry.computeTokenId(machineType_, credentialSubject_);
        registry.mint(msg.sender, machineId, doc, machineType_, manufacturer_);
        _subscription().activate(machineId, tier);
        _mirror().registerHome(machineId);
        emit MachineOnboarded(machineId, msg.sender);
    }

    function suspend(uint256 machineId) external onlyOwnerOrController(machineId) {
        if (isOperatorPaused[machineId]) revert NotActive();
        isOperatorPaused[machineId] = true;
        emit OperatorPausedSet(machineId, true);
    }

    function resume(uint256 machineId) external onlyOwnerOrController(machineId) {
        if (!isOperatorPaused[machineId]) revert NotSuspended();
        isOperatorPaused[machineId] = false;
        emit OperatorPausedSet(machineId, false);
    }

    function setGeneralPaused(uint256 machineId, bool paused) external onlyOwner {
        isGeneralPaused[machineId] = paused;
        emit GeneralPausedSet(machineId, paused);
    }

    function setTechnicalPaused(uint256 machineId, bool paused) external onlyOwner {
        isTechnicalPaused[machineId] = paused;
        emit TechnicalPausedSet(machineId, paused);
    }

    function setGeneralPausedGlobal(bool paused) external onlyOwner {
        isGeneralPausedGlobal = paused;
        emit GeneralPausedGlobalSet(paused);
    }

    function setTechnicalPausedGlobal(bool paused) external onlyOwner {
        isTechnicalPausedGlobal = paused;
        emit TechnicalPausedGlobalSet(paused);
    }

    /// Burns the token, clears the home and terminates the bond, so that the id is unknown.
    function retireMachine(uint256 machineId) external onlyOwnerOrController(machineId) {
        address operator = _registry().operatorOf(machineId);
        _registry().retire(machineId);
        _subscription().terminate(machineId, operator);
        _mirror().setHome(machineId, 0);
        emit MachineRetired(machineId);
    }

    /// Called by MachineSubscription when a settlement finds that its pause began or ended.
    function noteSubscriptionPaused(uint256 machineId, bool value) external onlyPeer(MACHINE_SUBSCRIPTION) {
        emit SubscriptionPausedSet(machineId, value);
    }

    // Test hooks that act as the bridge.

    /// Starts or cancels a relocation.
    function devSetRelocating(uint256 machineId, bool relocating, uint16 destinationChainId) external onlyOwner {
        isRelocating[machineId] = relocating;
        if (relocating) {
            emit RelocationCollected(machineId, destinationChainId);
        } else {
            emit RelocationCancelled(machineId);
        }
    }

    /// Performs a complete relocation to another chain: burns the token and sets the home.
    function devBridgeOut(uint256 machineId, uint16 destinationChainId) external onlyOwner {
        emit RelocationCollected(machineId, destinationChainId);
        _registry().bridgeOut(machineId);
        _mirror().setHome(machineId, destinationChainId);
        isRelocating[machineId] = false;
        emit RelocationFinalized(machineId);
    }

    /// Performs an arrival from another chain, with the number of events that stay there.
    function devBridgeIn(
        uint256 machineId,
        address to,
        address controller,
        string calldata machineType_,
        address eventRegistry,
        uint256 priorEventCount_
    ) external onlyOwner {
        _registry().bridgeIn(to, machineId, controller, machineType_);
        _mirror().setHome(machineId, _localChainId());
        IEventImporter(eventRegistry).importEvents(machineId, priorEventCount_);
        emit RelocationReplayed(machineId);
    }

    /// Replaces an id by that of other credentials. Events stay under the old id.
    function devReissue(uint256 oldId, string calldata machineType_, bytes calldata credentialSubject_)
        external
        onlyOwner
        returns (uint256 newId)
    {
        IMachineRegistry registry = _registry();
        newId = registry.computeTokenId(machineType_, credentialSubject_);
        registry.reissue(oldId, newId, machineType_, credentialSubject_);
        _subscription().reissue(oldId, newId);
        _mirror().reissue(oldId, newId);
    }

    /// Emits an event of the known ABI: a flag of a whole chain.
    function devSetChainFlag(uint16 chainId, bytes32 key, bool value) external onlyOwner {
        emit ChainFlagSet(chainId, key, value);
    }
}
