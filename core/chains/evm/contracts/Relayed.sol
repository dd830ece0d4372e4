// SPDX-License-Identifier: Apache-2.0
pragma solidity ^0.8.30;

import {Ownable2Step} from "@openzeppelin/contracts/access/Ownable2Step.sol";

/// @title One address that may send on behalf of the application, appointed by the owner
/// @dev The zero address appoints nobody. The variable takes 20 bytes of its slot: what a call of the relayer reads
/// anyway (a pause, a counter) is declared right after it and costs no second cold read.
abstract contract Relayed is Ownable2Step {
    address public relayer;

    event RelayerChanged(address indexed previous, address indexed current);

    /// @dev The caller is not the relayer.
    error NotRelayer(address caller);

    constructor(address relayer_) {
        _setRelayer(relayer_);
    }

    modifier onlyRelayer() {
        if (msg.sender != relayer) revert NotRelayer(msg.sender);
        _;
    }

    function setRelayer(address relayer_) external onlyOwner {
        _setRelayer(relayer_);
    }

    function _setRelayer(address relayer_) private {
        emit RelayerChanged(relayer, relayer_);
        relayer = relayer_;
    }
}
