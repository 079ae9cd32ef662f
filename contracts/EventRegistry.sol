// SPDX-License-Identifier: Apache-2.0
pragma solidity ^0.8.24;

import {PausableUpgradeable} from "@openzeppelin/contracts-upgradeable/utils/PausableUpgradeable.sol";
import {Peered} from "./Governed.sol";
import {MachineEvent, SubscriptionStatus} from "./MachineTypes.sol";
import {IEventImporter} from "./Peers.sol";

/// Append-only event records (chain-evm 2.4, 3.7).
contract EventRegistry is Peered, PausableUpgradeable, IEventImporter {
    uint256 public constant MAX_QUERY_LIMIT = 100;
    uint256 public constant MAX_METADATA_SIZE = 4096;
    uint8 private constant REVENUE = 0;
    uint8 private constant HIGHEST_EVENT_TYPE = 1;
    uint8 private constant HIGHEST_TRUST_LEVEL = 2;

    mapping(uint256 machineId => MachineEvent[]) private _events;
    mapping(uint256 machineId => uint256) public priorEventCount;
    uint256 public totalEventCount;
    /// Test hook: whether an offset equal to the count returns an empty page instead of OffsetOutOfBounds.
    bool public devAnswersEmptyPage;

    event EventSubmitted(
        uint256 indexed machineId, uint256 indexed eventIndex, uint8 eventType, uint256 value, string indexed currency
    );
    event MachineEventsImported(uint256 indexed machineId, uint256 priorEventCount);

    error OffsetOutOfBounds();
    error InvalidEventType();
    error InvalidTrustLevel();
    error InvalidCurrencyShape();
    error FutureTimestamp();
    error MetadataTooLarge();
    error NotOwnerOrController();
    error SubscriptionNotEligible(SubscriptionStatus status);

    function initialize(address protocolOwner, address infoDesk_) external initializer {
        __Peered_init(protocolOwner, infoDesk_);
        __Pausable_init();
    }

    function getEventCount(uint256 machineId) external view returns (uint256) {
        return _events[machineId].length;
    }

    /// Returns at most MAX_QUERY_LIMIT records from `offset`, oldest first.
    function getEvents(uint256 machineId, uint256 offset, uint256 limit) external view returns (MachineEvent[] memory) {
        MachineEvent[] storage all = _events[machineId];
        if (offset > all.length || (offset == all.length && !devAnswersEmptyPage)) revert OffsetOutOfBounds();
        uint256 size = all.length - offset;
        if (size > limit) size = limit;
        if (size > MAX_QUERY_LIMIT) size = MAX_QUERY_LIMIT;
        MachineEvent[] memory page = new MachineEvent[](size);
        for (uint256 i = 0; i < size; ++i) {
            page[i] = all[offset + i];
        }
        return page;
    }

    function submitEvent(
        uint256 machineId,
        uint8 eventType,
        uint256 value,
        string memory currency,
        uint256 timestamp,
        bytes32 dataHash,
        uint8 trustLevel,
        uint256 sourceChainId,
        bytes32 sourceTxHash,
        bytes memory metadata
    ) external whenNotPaused {
        _requireSubmitter(machineId, msg.sender);
        if (eventType > HIGHEST_EVENT_TYPE) revert InvalidEventType();
        if (trustLevel > HIGHEST_TRUST_LEVEL) revert InvalidTrustLevel();
        _requireCurrency(eventType, bytes(currency));
        if (timestamp > block.timestamp) revert FutureTimestamp();
        if (metadata.length > MAX_METADATA_SIZE) revert MetadataTooLarge();
        MachineEvent storage stored = _events[machineId].push();
        stored.machineId = machineId;
        stored.eventType = eventType;
        stored.value = value;
        stored.timestamp = timestamp;
        stored.dataHash = dataHash;
        stored.trustLevel = trustLevel;
        stored.sourceChainId = sourceChainId;
        stored.sourceTxHash = sourceTxHash;
        stored.metadata = metadata;
        stored.currency = currency;
        ++totalEventCount;
        emit EventSubmitted(machineId, _events[machineId].length - 1, eventType, value, currency);
    }

    function pause() external onlyOwner {
        _pause();
    }

    function unpause() external onlyOwner {
        _unpause();
    }

    /// A step of an arrival by relocation; starts at MachineStateAndSync.
    function importEvents(uint256 machineId, uint256 priorEventCount_) external onlyPeer(MACHINE_STATE_AND_SYNC) {
        priorEventCount[machineId] = priorEventCount_;
        emit MachineEventsImported(machineId, priorEventCount_);
    }

    function devSetAnswersEmptyPage(bool value) external onlyOwner {
        devAnswersEmptyPage = value;
    }

    function _requireSubmitter(uint256 machineId, address sender) internal view virtual {
        if (!_mayAct(sender, machineId)) revert NotOwnerOrController();
        SubscriptionStatus status = _subscription().subscriptionStatus(machineId);
        if (status != SubscriptionStatus.Active && status != SubscriptionStatus.Grace) revert SubscriptionNotEligible(status);
    }

    /// Revenue names a currency `[A-Z0-9]{3,10}`, activity none.
    function _requireCurrency(uint8 eventType, bytes memory currency) private pure {
        if (eventType != REVENUE) {
            if (currency.length != 0) revert InvalidCurrencyShape();
            return;
        }
        if (currency.length < 3 || currency.length > 10) revert InvalidCurrencyShape();
        for (uint256 i = 0; i < currency.length; ++i) {
            bytes1 c = currency[i];
            if (!((c >= "A" && c <= "Z") || (c >= "0" && c <= "9"))) revert InvalidCurrencyShape();
        }
    }
}
