// SPDX-License-Identifier: Apache-2.0
pragma solidity ^0.8.24;

import {Governed} from "./Governed.sol";
import {EventRegistry} from "./EventRegistry.sol";

/// Legacy machines (address DIDs): the minimal contracts that the address-keyed routes read (chain-evm 2.9).
/// Machine ids are small sequential numbers, independent of those of MachineRegistry.
contract IdentityRegistry is Governed {
    uint8 private constant STATUS_PENDING = 1;

    struct Identity {
        address machine;
        address operator;
        uint8 status;
    }

    uint256 public machineCount;
    mapping(address machine => uint256) public machineIdOf;
    mapping(uint256 machineId => Identity) private _identities;

    function initialize(address protocolOwner) external initializer {
        __Ownable_init(protocolOwner);
    }

    function machineExists(uint256 machineId) external view returns (bool) {
        return _identities[machineId].status != 0;
    }

    /// 0 None, 1 Pending, 2 Verified, 3 Rejected, 4 Deactivated.
    function machineStatus(uint256 machineId) external view returns (uint8) {
        return _identities[machineId].status;
    }

    function operatorOf(uint256 machineId) external view returns (address) {
        return _identities[machineId].operator;
    }

    function machineAddressOf(uint256 machineId) external view returns (address) {
        return _identities[machineId].machine;
    }

    function registerMachine(address machine, address operator) external onlyOwner returns (uint256 machineId) {
        machineId = ++machineCount;
        machineIdOf[machine] = machineId;
        _identities[machineId] = Identity(machine, operator, STATUS_PENDING);
    }

    function setMachineStatus(uint256 machineId, uint8 status) external onlyOwner {
        _identities[machineId].status = status;
    }
}

contract IdentityStaking is Governed {
    mapping(uint256 machineId => bool) public isStaked;

    function initialize(address protocolOwner) external initializer {
        __Ownable_init(protocolOwner);
    }

    function setStaked(uint256 machineId, bool value) external onlyOwner {
        isStaked[machineId] = value;
    }
}

contract DidStore is Governed {
    struct Attribute {
        bytes name;
        bytes value;
        uint32 validity;
        uint256 created;
    }

    mapping(address didAccount => mapping(bytes32 nameHash => Attribute)) private _attributes;

    function initialize(address protocolOwner) external initializer {
        __Ownable_init(protocolOwner);
    }

    function readAttribute(address didAccount, bytes calldata name) external view returns (Attribute memory) {
        return _attributes[didAccount][keccak256(name)];
    }

    /// Attributes are self-declared, so readers must not trust them.
    function setAttribute(address didAccount, bytes calldata name, bytes calldata value, uint32 validity) external {
        _attributes[didAccount][keccak256(name)] = Attribute(name, value, validity, block.timestamp);
    }
}

/// Events of legacy machines, read with the functions of EventRegistry at a second address.
contract LegacyEventRegistry is EventRegistry {
    IdentityRegistry public identityRegistry;

    function initializeLegacy(address protocolOwner, address infoDesk_, address identityRegistry_) external initializer {
        __Peered_init(protocolOwner, infoDesk_);
        __Pausable_init();
        identityRegistry = IdentityRegistry(identityRegistry_);
    }

    function _requireSubmitter(uint256 machineId, address sender) internal view override {
        if (sender != identityRegistry.machineAddressOf(machineId) && sender != identityRegistry.operatorOf(machineId)) {
            revert NotOwnerOrController();
        }
    }
}
