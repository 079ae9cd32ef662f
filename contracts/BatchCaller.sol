// SPDX-License-Identifier: Apache-2.0
pragma solidity ^0.8.24;

/// Replaces the batch precompile of known deployments: as a machine's controller it submits several events in one
/// transaction. Anyone can call it, so it is for local chains only.
contract BatchCaller {
    function callAll(address target, bytes[] calldata calls) external {
        for (uint256 i = 0; i < calls.length; ++i) {
            (bool success, bytes memory returnData) = target.call(calls[i]);
            if (!success) {
                assembly {
                    revert(add(returnData, 32), mload(returnData))
                }
            }
        }
    }
}
