// SPDX-License-Identifier: Apache-2.0
pragma solidity ^0.8.30;

import {Ownable2Step} from "@openzeppelin/contracts/access/Ownable2Step.sol";

/// @title One address that may send on behalf of the application, appointed by the owner
/// @dev Owner and relayer are two addresses: who sends every day cannot pause, appoint or give the contract away, and
/// there is always an owner. The zero address appoints nobody. The variable takes 20 bytes of its slot: what a call of the relayer reads
/// anyway (a pause, a counter) is declared right after it and costs no second cold read.
abstract contract Relayed is Ownable2Step {
    address public relayer;

    event RelayerChanged(address indexed previous, address indexed current);

    /// @dev The caller is not the relayer.
    error NotRelayer(address caller);

    /// @dev The owner cannot be its own relayer.
    error OwnerIsRelayer(address account);

    /// @dev A contract without an owner could not be paused nor get another relayer.
    error OwnershipNotRenounced();

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

    /// @notice Refused: there is always an owner.
    function renounceOwnership() public pure override {
        revert OwnershipNotRenounced();
    }

    function _transferOwnership(address newOwner) internal virtual override {
        if (newOwner == relayer && newOwner != address(0)) revert OwnerIsRelayer(newOwner);
        super._transferOwnership(newOwner);
    }

    function _setRelayer(address relayer_) private {
        if (relayer_ == owner()) revert OwnerIsRelayer(relayer_);
        emit RelayerChanged(relayer, relayer_);
        relayer = relayer_;
    }
}
