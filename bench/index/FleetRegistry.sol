// SPDX-License-Identifier: Apache-2.0
pragma solidity ^0.8.24;

/// The part of a MachineRegistry that an ownership index reads. Tokens move in a fixed order, so that one counter is the whole state
/// and a local node seeds 200,000 transfers in seconds; results equal those of a registry that stores each holder.
contract FleetRegistry {
    event Transfer(address indexed from, address indexed to, uint256 indexed tokenId);

    error ERC721NonexistentToken(uint256 tokenId);

    /// Ids are spread over the 256 bits, like real ones: an odd factor and its inverse modulo 2^256.
    uint256 private constant FACTOR = 0x9e3779b97f4a7c15f39cc0605cedc8341082276bf3a27251f86c6a11d0c18e95;
    uint256 private constant INVERSE = 0x86463f38f84eb2f5e48d88b85d99f57e8aeac025ebd1d368417c7539b5cfccbd;
    uint256 private constant PEOPLE = 1009;

    uint256 private immutable _machines;
    uint256 private _moves;

    constructor(uint256 machines) {
        _machines = machines;
    }

    /// Moves the next `count` tokens; the first round over all machines mints them.
    function move(uint256 count) external {
        uint256 end = _moves + count;
        for (uint256 step = _moves; step < end; ++step) {
            address from = step < _machines ? address(0) : _receiver(step - _machines);
            emit Transfer(from, _receiver(step), _tokenId(step % _machines));
        }
        _moves = end;
    }

    function ownerOf(uint256 tokenId) public view returns (address) {
        (bool isMinted, uint256 lastMove) = _find(tokenId);
        if (!isMinted) revert ERC721NonexistentToken(tokenId);
        return _receiver(lastMove);
    }

    /// No token has a controller.
    function controllerOf(uint256 tokenId) external view returns (address) {
        ownerOf(tokenId);
        return address(0);
    }

    function exists(uint256 tokenId) external view returns (bool isMinted) {
        (isMinted,) = _find(tokenId);
    }

    function _find(uint256 tokenId) private view returns (bool isMinted, uint256 lastMove) {
        uint256 moves = _moves;
        uint256 machine;
        unchecked {
            machine = tokenId * INVERSE - 1;
        }
        if (machine >= _machines || machine >= moves) return (false, 0);
        return (true, machine + (moves - 1 - machine) / _machines * _machines);
    }

    function _tokenId(uint256 machine) private pure returns (uint256) {
        unchecked {
            return (machine + 1) * FACTOR;
        }
    }

    function _receiver(uint256 step) private pure returns (address) {
        return address(uint160(uint256(keccak256(abi.encode(step % PEOPLE)))));
    }
}

/// Reports this chain as the home of every token of the registry.
contract FleetMirror {
    FleetRegistry private immutable _registry;

    constructor(FleetRegistry registry) {
        _registry = registry;
    }

    function isHomedLocally(uint256 tokenId) external view returns (bool) {
        return _registry.exists(tokenId);
    }
}
