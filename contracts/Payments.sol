// SPDX-License-Identifier: Apache-2.0
pragma solidity ^0.8.24;

import {ERC20} from "@openzeppelin/contracts/token/ERC20/ERC20.sol";
import {IERC20} from "@openzeppelin/contracts/token/ERC20/IERC20.sol";

/// Dollar token of the local main chain with 6 decimals. Anyone can mint it, so it is for local chains only.
contract PaymentToken is ERC20 {
    constructor() ERC20("Local Dollar", "USDC") {}

    function decimals() public pure override returns (uint8) {
        return 6;
    }

    function mint(address to, uint256 units) external {
        _mint(to, units);
    }
}

/// Forwards payments, as routers and relayers do: its own balance does not change.
contract PaymentRouter {
    function pay(IERC20 token, address[] calldata payees, uint256[] calldata units) external {
        uint256 total = 0;
        for (uint256 i = 0; i < units.length; ++i) total += units[i];
        require(token.transferFrom(msg.sender, address(this), total), "not received");
        for (uint256 i = 0; i < payees.length; ++i) require(token.transfer(payees[i], units[i]), "not sent");
    }
}

/// Exchanges dollar tokens one to one out of its own balance, as an exchange pool does. Anyone may send the transaction of an
/// account that has approved the pool, so it is for local chains only.
contract PaymentPool {
    function swap(IERC20 given, IERC20 taken, uint256 units, address from, address to) external {
        require(given.transferFrom(from, address(this), units), "not received");
        require(taken.transfer(to, units), "not sent");
    }
}
