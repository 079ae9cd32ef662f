// SPDX-License-Identifier: Apache-2.0
pragma solidity ^0.8.24;

import {ERC721Upgradeable} from "@openzeppelin/contracts-upgradeable/token/ERC721/ERC721Upgradeable.sol";
import {Strings} from "@openzeppelin/contracts/utils/Strings.sol";
import {Peered} from "./Governed.sol";
import {DIDDocument, ServiceEndpoint, VerificationMethod} from "./MachineTypes.sol";

/// Machines as ERC-721 tokens, with their DID documents (chain-evm 2.1, 3.1 to 3.3).
contract MachineRegistry is ERC721Upgradeable, Peered {
    struct Machine {
        address controller;
        address manufacturer;
        string machineType;
        VerificationMethod[] verificationMethods;
        uint256[] authentication;
        ServiceEndpoint[] serviceEndpoints;
    }

    mapping(uint256 tokenId => Machine) private _machines;
    mapping(uint256 machineId => address) private _foreignOperators;

    event ControllerUpdated(uint256 indexed tokenId, address indexed oldController, address indexed newController);
    event MachineMinted(uint256 indexed tokenId, address indexed to, address indexed controller, string machineType);
    event MachineBridgedIn(uint256 indexed tokenId, address indexed to, string machineType);
    event MachineBridgedOut(uint256 indexed tokenId, string machineType);
    event MachineRetired(uint256 indexed tokenId);
    event LegacyMachineReissued(uint256 indexed oldId, uint256 indexed newId, address indexed to);
    event VerificationMethodsUpdated(uint256 indexed tokenId);
    event AuthenticationUpdated(uint256 indexed tokenId);
    event ServiceEndpointsUpdated(uint256 indexed tokenId);

    /// Part of the known ABI; DIDs are not parsed.
    error InvalidDIDFormat();
    error MachineRelocating();
    error NotMachineOwner();
    error NotOwnerOrController();
    error InvalidAuthenticationIndex();
    error CredentialSubjectMismatch();

    modifier onlyOwnerOrController(uint256 tokenId) {
        if (msg.sender != ownerOf(tokenId) && msg.sender != _machines[tokenId].controller) revert NotOwnerOrController();
        _;
    }

    function initialize(address protocolOwner, address infoDesk_) external initializer {
        __ERC721_init("Machine", "MACHINE");
        __Peered_init(protocolOwner, infoDesk_);
    }

    /// Returns zero when none is set, and for a machine homed elsewhere, which has no token on this chain.
    function controllerOf(uint256 tokenId) public view returns (address) {
        if (_ownerOf(tokenId) == address(0) && !_isHomedElsewhere(tokenId)) revert ERC721NonexistentToken(tokenId);
        return _machines[tokenId].controller;
    }

    /// Returns the owner of a machine homed on this chain, otherwise the recorded operator.
    function operatorOf(uint256 tokenId) external view returns (address) {
        address tokenOwner = _ownerOf(tokenId);
        if (tokenOwner != address(0)) return tokenOwner;
        address operator = _foreignOperators[tokenId];
        if (operator == address(0)) revert ERC721NonexistentToken(tokenId);
        return operator;
    }

    /// The `id` is computed on every read and never stored.
    function didDocument(uint256 tokenId) external view returns (DIDDocument memory) {
        _requireOwned(tokenId);
        Machine storage machine = _machines[tokenId];
        return DIDDocument({
            id: didFromTokenId(tokenId),
            controller: machine.controller,
            verificationMethods: machine.verificationMethods,
            authentication: machine.authentication,
            serviceEndpoints: machine.serviceEndpoints
        });
    }

    function serviceEndpointsOf(uint256 tokenId) external view returns (ServiceEndpoint[] memory) {
        _requireOwned(tokenId);
        return _machines[tokenId].serviceEndpoints;
    }

    function machineTypeOf(uint256 tokenId) external view returns (string memory) {
        _requireOwned(tokenId);
        return _machines[tokenId].machineType;
    }

    function manufacturerOf(uint256 tokenId) external view returns (address) {
        _requireOwned(tokenId);
        return _machines[tokenId].manufacturer;
    }

    function computeTokenId(string memory machineType_, bytes memory credentialSubject_) public pure returns (uint256) {
        return uint256(keccak256(abi.encode(machineType_, credentialSubject_)));
    }

    function didFromTokenId(uint256 tokenId_) public pure returns (string memory) {
        return string.concat("did:svc:", Strings.toString(tokenId_));
    }

    function setController(uint256 tokenId, address newController) external {
        if (msg.sender != ownerOf(tokenId)) revert NotMachineOwner();
        address oldController = _machines[tokenId].controller;
        _machines[tokenId].controller = newController;
        emit ControllerUpdated(tokenId, oldController, newController);
    }

    function setVerificationMethods(uint256 tokenId, VerificationMethod[] calldata newVerificationMethods)
        external
        onlyOwnerOrController(tokenId)
    {
        _storeVerificationMethods(_machines[tokenId], newVerificationMethods);
        emit VerificationMethodsUpdated(tokenId);
    }

    /// Bounds are checked here but not at mint, and not when the methods change later.
    function setAuthentication(uint256 tokenId, uint256[] calldata newAuthentication)
        external
        onlyOwnerOrController(tokenId)
    {
        uint256 methodCount = _machines[tokenId].verificationMethods.length;
        for (uint256 i = 0; i < newAuthentication.length; ++i) {
            if (newAuthentication[i] >= methodCount) revert InvalidAuthenticationIndex();
        }
        _machines[tokenId].authentication = newAuthentication;
        emit AuthenticationUpdated(tokenId);
    }

    function setServiceEndpoints(uint256 tokenId, ServiceEndpoint[] calldata newServiceEndpoints)
        external
        onlyOwnerOrController(tokenId)
    {
        _storeServiceEndpoints(_machines[tokenId], newServiceEndpoints);
        emit ServiceEndpointsUpdated(tokenId);
    }

    // Steps of an activation, a retirement, a relocation and a reissue; all start at MachineStateAndSync.

    function mint(
        address to,
        uint256 tokenId,
        DIDDocument calldata doc,
        string calldata machineType_,
        address manufacturer_
    ) external onlyPeer(MACHINE_STATE_AND_SYNC) {
        _mint(to, tokenId);
        Machine storage machine = _machines[tokenId];
        machine.controller = doc.controller;
        machine.manufacturer = manufacturer_;
        machine.machineType = machineType_;
        machine.authentication = doc.authentication;
        _storeVerificationMethods(machine, doc.verificationMethods);
        _storeServiceEndpoints(machine, doc.serviceEndpoints);
        emit MachineMinted(tokenId, to, doc.controller, machineType_);
    }

    function retire(uint256 tokenId) external onlyPeer(MACHINE_STATE_AND_SYNC) {
        _burn(tokenId);
        delete _machines[tokenId];
        emit MachineRetired(tokenId);
    }

    function bridgeOut(uint256 tokenId) external onlyPeer(MACHINE_STATE_AND_SYNC) {
        string memory machineType_ = _machines[tokenId].machineType;
        _foreignOperators[tokenId] = ownerOf(tokenId);
        _burn(tokenId);
        delete _machines[tokenId];
        emit MachineBridgedOut(tokenId, machineType_);
    }

    function bridgeIn(address to, uint256 tokenId, address controller, string calldata machineType_)
        external
        onlyPeer(MACHINE_STATE_AND_SYNC)
    {
        _mint(to, tokenId);
        delete _foreignOperators[tokenId];
        _machines[tokenId].controller = controller;
        _machines[tokenId].machineType = machineType_;
        emit MachineBridgedIn(tokenId, to, machineType_);
    }

    /// The document moves to the new id; owner and controller stay.
    function reissue(uint256 oldId, uint256 newId, string calldata machineType_, bytes calldata credentialSubject_)
        external
        onlyPeer(MACHINE_STATE_AND_SYNC)
    {
        if (newId != computeTokenId(machineType_, credentialSubject_)) revert CredentialSubjectMismatch();
        address to = ownerOf(oldId);
        _burn(oldId);
        _mint(to, newId);
        Machine storage source = _machines[oldId];
        Machine storage target = _machines[newId];
        target.controller = source.controller;
        target.manufacturer = source.manufacturer;
        target.machineType = machineType_;
        target.authentication = source.authentication;
        for (uint256 i = 0; i < source.verificationMethods.length; ++i) {
            target.verificationMethods.push(source.verificationMethods[i]);
        }
        for (uint256 i = 0; i < source.serviceEndpoints.length; ++i) {
            target.serviceEndpoints.push(source.serviceEndpoints[i]);
        }
        delete _machines[oldId];
        emit LegacyMachineReissued(oldId, newId, to);
    }

    /// Test hook: sets the recorded operator of a machine homed elsewhere; zero removes it.
    function devSetForeignOperator(uint256 machineId, address operator) external onlyOwner {
        _foreignOperators[machineId] = operator;
    }

    function _isHomedElsewhere(uint256 machineId) private view returns (bool) {
        uint16 home = _mirror().homeChainOf(machineId);
        return home != 0 && home != _localChainId();
    }

    /// A relocating machine cannot be transferred, only burned by the relocation.
    function _update(address to, uint256 tokenId, address auth) internal override returns (address) {
        address from = _ownerOf(tokenId);
        if (from != address(0) && to != address(0) && _state().isRelocating(tokenId)) revert MachineRelocating();
        return super._update(to, tokenId, auth);
    }

    function _storeVerificationMethods(Machine storage machine, VerificationMethod[] calldata methods) private {
        delete machine.verificationMethods;
        for (uint256 i = 0; i < methods.length; ++i) {
            machine.verificationMethods.push(methods[i]);
        }
    }

    function _storeServiceEndpoints(Machine storage machine, ServiceEndpoint[] calldata endpoints) private {
        delete machine.serviceEndpoints;
        for (uint256 i = 0; i < endpoints.length; ++i) {
            machine.serviceEndpoints.push(endpoints[i]);
        }
    }
}
