// SPDX-License-Identifier: Apache-2.0
pragma solidity ^0.8.24;

import {Peered} from "./Governed.sol";
import {SubscriptionState, SubscriptionStatus} from "./MachineTypes.sol";
import {IInfoDesk} from "./Peers.sol";

/// Bonds without a token: their amount is recorded, nothing is paid (chain-evm 2.3, 3.4).
/// A status begins at the exact second of its boundary. Terminated needs no settlement.
contract MachineSubscription is Peered {
    uint8 public constant TIER_COUNT = 3;
    uint256 private constant SETTLEMENTS_PER_CALL = 50;
    uint256 private constant BOND_OF_FIRST_TIER = 100 ether;

    mapping(uint256 machineId => SubscriptionState) private _subscriptions;
    mapping(uint256 machineId => bool) private _isTerminated;
    /// Status in the last SubscriptionStatusChanged, and the number of these events.
    mapping(uint256 machineId => SubscriptionStatus) private _announced;
    mapping(uint256 machineId => uint64) private _announcements;
    /// False on a chain that only mirrors bonds; set by a test hook.
    bool public isEconomicAuthority;
    uint256[] private _activated;
    uint256 private _settled;

    event Activated(
        uint256 indexed machineId, address indexed operator, uint8 tier, uint256 bondedAmount, uint64 periodStart, uint64 periodEnd
    );
    event Renewed(uint256 indexed machineId, address indexed operator, uint8 tier, uint256 bondedAmount, uint64 periodEnd);
    event SubscriptionStatusChanged(
        uint256 indexed machineId,
        address indexed operator,
        uint8 previousStatus,
        uint8 status,
        uint8 tier,
        uint64 periodEnd,
        uint64 seq
    );
    event SubscriptionTerminated(uint256 indexed machineId, address indexed operator);
    event SubscriptionTerminatedForFraud(uint256 indexed machineId, address indexed operator);
    event TierUpgraded(
        uint256 indexed machineId,
        address indexed operator,
        address payer,
        uint8 oldTier,
        uint8 newTier,
        uint256 bondDelta,
        uint256 pointsDelta
    );
    event SubscriptionReissued(uint256 indexed oldId, uint256 indexed newId);
    event RunoffDecayApplied(uint256 indexed machineId, uint256 burned, uint256 toTreasury, uint256 remainingBonded);

    error AlreadyActivated();
    error AlreadyTerminated();
    error NotActivated();
    error InvalidTier();
    error TierChangeWhileActive();
    error TechnicallyPaused();
    error NotOwnerOrController();

    modifier whenNotTechnicallyPaused(uint256 machineId) {
        if (_state().isTechnicalPausedGlobal() || _state().isTechnicalPaused(machineId)) revert TechnicallyPaused();
        _;
    }

    function initialize(address protocolOwner, address infoDesk_) external initializer {
        __Peered_init(protocolOwner, infoDesk_);
        isEconomicAuthority = true;
    }

    function subscriptions(uint256 machineId) external view returns (SubscriptionState memory) {
        return _subscriptions[machineId];
    }

    function subscriptionStatus(uint256 machineId) public view returns (SubscriptionStatus) {
        SubscriptionState storage state = _subscriptions[machineId];
        if (state.periodStart == 0) return SubscriptionStatus.NotActivated;
        if (_isTerminated[machineId]) return SubscriptionStatus.Terminated;
        if (block.timestamp < state.periodEnd) return SubscriptionStatus.Active;
        uint256 graceEnd = uint256(state.periodEnd) + IInfoDesk(infoDesk).graceDuration();
        if (block.timestamp < graceEnd) return SubscriptionStatus.Grace;
        if (block.timestamp < graceEnd + IInfoDesk(infoDesk).runoffDuration()) return SubscriptionStatus.Runoff;
        return SubscriptionStatus.Terminated;
    }

    /// Called inside an activation, by the operator of a machine homed elsewhere, or by the protocol owner.
    function activate(uint256 machineId, uint8 tier) external whenNotTechnicallyPaused(machineId) {
        address operator = _registry().operatorOf(machineId);
        if (msg.sender != address(_state()) && msg.sender != operator && msg.sender != owner()) {
            revert NotOwnerOrController();
        }
        if (_subscriptions[machineId].periodStart != 0) revert AlreadyActivated();
        if (tier >= TIER_COUNT) revert InvalidTier();
        uint64 periodStart = uint64(block.timestamp);
        uint64 periodEnd = periodStart + IInfoDesk(infoDesk).subscriptionPeriodLength();
        _subscriptions[machineId] = SubscriptionState(tier, periodStart, periodEnd, _bondOf(tier), 0);
        _activated.push(machineId);
        emit Activated(machineId, operator, tier, _bondOf(tier), periodStart, periodEnd);
        _announce(machineId, operator);
    }

    function renew(uint256 machineId) external {
        _renew(machineId, _subscriptions[machineId].tier);
    }

    function renew(uint256 machineId, uint8 tier) external {
        _renew(machineId, tier);
    }

    /// Emits the status changes that time has caused, for a bounded number of machines per call.
    function settleLifecycle() external returns (bool hasMoreWork) {
        uint256 end = _settled + SETTLEMENTS_PER_CALL;
        if (end > _activated.length) end = _activated.length;
        for (uint256 i = _settled; i < end; ++i) {
            _settle(_activated[i]);
        }
        hasMoreWork = end < _activated.length;
        _settled = hasMoreWork ? end : 0;
    }

    function terminateForFraud(uint256 machineId) external onlyOwner {
        _requireLive(machineId);
        address operator = _operatorOf(machineId);
        _isTerminated[machineId] = true;
        emit SubscriptionTerminatedForFraud(machineId, operator);
        _announce(machineId, operator);
    }

    function devSetEconomicAuthority(bool value) external onlyOwner {
        isEconomicAuthority = value;
    }

    // Steps of a retirement and a reissue; both start at MachineStateAndSync.

    function terminate(uint256 machineId, address operator) external onlyPeer(MACHINE_STATE_AND_SYNC) {
        if (_subscriptions[machineId].periodStart == 0 || _isTerminated[machineId]) return;
        _isTerminated[machineId] = true;
        emit SubscriptionTerminated(machineId, operator);
        _announce(machineId, operator);
    }

    function reissue(uint256 oldId, uint256 newId) external onlyPeer(MACHINE_STATE_AND_SYNC) {
        _subscriptions[newId] = _subscriptions[oldId];
        _isTerminated[newId] = _isTerminated[oldId];
        _announced[newId] = _announced[oldId];
        _announcements[newId] = _announcements[oldId];
        _activated.push(newId);
        delete _subscriptions[oldId];
        delete _isTerminated[oldId];
        delete _announced[oldId];
        delete _announcements[oldId];
        emit SubscriptionReissued(oldId, newId);
    }

    /// Extends from the stored end, so that a late renewal does not include elapsed time.
    function _renew(uint256 machineId, uint8 tier) private whenNotTechnicallyPaused(machineId) {
        _requireLive(machineId);
        address operator = _operatorOf(machineId);
        if (msg.sender != operator && !_mayAct(msg.sender, machineId)) revert NotOwnerOrController();
        if (tier >= TIER_COUNT) revert InvalidTier();
        SubscriptionState storage state = _subscriptions[machineId];
        uint8 oldTier = state.tier;
        if (tier != oldTier && subscriptionStatus(machineId) == SubscriptionStatus.Active) revert TierChangeWhileActive();
        state.tier = tier;
        state.bondedAmount = _bondOf(tier);
        state.periodEnd += IInfoDesk(infoDesk).subscriptionPeriodLength();
        if (tier > oldTier) {
            emit TierUpgraded(machineId, operator, msg.sender, oldTier, tier, _bondOf(tier) - _bondOf(oldTier), 0);
        }
        emit Renewed(machineId, operator, tier, state.bondedAmount, state.periodEnd);
        _announce(machineId, operator);
    }

    /// Burns a tenth of the bond once, at the first settlement in runoff.
    function _settle(uint256 machineId) private {
        SubscriptionStatus status = subscriptionStatus(machineId);
        if (status == _announced[machineId]) return;
        address operator = _operatorOf(machineId);
        if (status == SubscriptionStatus.Runoff) {
            SubscriptionState storage state = _subscriptions[machineId];
            uint256 burned = state.bondedAmount / 10;
            state.bondedAmount -= burned;
            emit RunoffDecayApplied(machineId, burned, 0, state.bondedAmount);
        }
        if (status == SubscriptionStatus.Terminated) emit SubscriptionTerminated(machineId, operator);
        _announce(machineId, operator);
    }

    function _announce(uint256 machineId, address operator) private {
        SubscriptionStatus status = subscriptionStatus(machineId);
        SubscriptionStatus previous = _announced[machineId];
        if (status == previous) return;
        _announced[machineId] = status;
        SubscriptionState storage state = _subscriptions[machineId];
        emit SubscriptionStatusChanged(
            machineId, operator, uint8(previous), uint8(status), state.tier, state.periodEnd, ++_announcements[machineId]
        );
        bool paused = status != SubscriptionStatus.Active;
        bool wasPaused = previous != SubscriptionStatus.NotActivated && previous != SubscriptionStatus.Active;
        if (paused != wasPaused) _state().noteSubscriptionPaused(machineId, paused);
    }

    function _requireLive(uint256 machineId) private view {
        if (_subscriptions[machineId].periodStart == 0) revert NotActivated();
        if (subscriptionStatus(machineId) == SubscriptionStatus.Terminated) revert AlreadyTerminated();
    }

    function _operatorOf(uint256 machineId) private view returns (address operator) {
        try _registry().operatorOf(machineId) returns (address recorded) {
            operator = recorded;
        } catch {}
    }

    function _bondOf(uint8 tier) private pure returns (uint256) {
        return BOND_OF_FIRST_TIER * (uint256(tier) + 1);
    }
}
