// SPDX-License-Identifier: Apache-2.0
pragma solidity ^0.8.30;

import {Ownable} from "@openzeppelin/contracts/access/Ownable.sol";
import {IERC20Errors} from "@openzeppelin/contracts/interfaces/draft-IERC6093.sol";
import {IERC20Metadata} from "@openzeppelin/contracts/token/ERC20/extensions/IERC20Metadata.sol";
import {Pausable} from "@openzeppelin/contracts/utils/Pausable.sol";
import {Relayed} from "./Relayed.sol";

/// @title Loyalty points of one application
/// @notice ERC-20 for reading: points are whole, belong to the account that earned them, and are not transferable.
/// @dev A copy of a ledger. Each entry has the id of its operation, which counts once, however often and in whatever
/// transaction it comes. An account has a signed position, the sum of its entries: entries commute, so that it does not
/// matter in which order or in which batches they come. Below zero the balance is zero, and the rest is owed: later
/// points pay it first.
contract LoyaltyPoints is IERC20Metadata, IERC20Errors, Relayed, Pausable {
    string public name;
    string public symbol;

    /// @inheritdoc IERC20Metadata
    uint8 public constant decimals = 0;

    /// @notice Sum of all balances.
    uint256 public totalSupply;

    /// @notice Whether the entry of an operation has counted.
    mapping(bytes32 operation => bool) public used;

    mapping(address account => int256) private _positions;

    /// @notice The entry of an operation counted. Below zero it takes points away.
    event Posted(bytes32 indexed operation, address indexed account, int256 amount);

    /// @dev Each operation has one entry.
    error LengthMismatch(uint256 operations, uint256 entries);

    /// @dev Points stay with their account.
    error NotTransferable();

    constructor(string memory name_, string memory symbol_, address owner_, address relayer_)
        Ownable(owner_)
        Relayed(relayer_)
    {
        name = name_;
        symbol = symbol_;
    }

    /// @notice Adds entries to the positions of accounts. An entry is the account's address, then 96 bits of a signed
    /// amount. An operation that has counted is left out, without an event. Gas: below 50,000 an entry of a new account.
    function post(bytes32[] calldata operations, uint256[] calldata entries) external onlyRelayer whenNotPaused {
        if (operations.length != entries.length) revert LengthMismatch(operations.length, entries.length);
        int256 issued;
        // No chain has room for so many entries of 96 bits that a sum of them needs more than 256.
        unchecked {
            for (uint256 i; i < entries.length; ++i) {
                bytes32 operation = operations[i];
                if (used[operation]) continue;
                used[operation] = true;
                uint256 entry = entries[i];
                address account = address(uint160(entry >> 96));
                int256 amount = int96(uint96(entry));
                issued += _change(account, amount);
                emit Posted(operation, account, amount);
            }
            if (issued != 0) totalSupply = uint256(int256(totalSupply) + issued);
        }
    }

    function pause() external onlyOwner {
        _pause();
    }

    function unpause() external onlyOwner {
        _unpause();
    }

    /// @notice Points of an account; zero while it owes any.
    function balanceOf(address account) external view returns (uint256) {
        return uint256(_aboveZero(_positions[account]));
    }

    /// @notice Points that were taken from an account beyond its balance.
    function owed(address account) external view returns (uint256) {
        return uint256(_aboveZero(-_positions[account]));
    }

    /// @notice The balance of each account, or below zero what it owes.
    function positions(address[] calldata accounts) external view returns (int256[] memory found) {
        found = new int256[](accounts.length);
        for (uint256 i; i < accounts.length; ++i) {
            found[i] = _positions[accounts[i]];
        }
    }

    /// @notice Whether the entry of each operation has counted.
    function usedOf(bytes32[] calldata operations) external view returns (bool[] memory found) {
        found = new bool[](operations.length);
        for (uint256 i; i < operations.length; ++i) {
            found[i] = used[operations[i]];
        }
    }

    /// @notice Always zero: nobody spends the points of another.
    function allowance(address, address) external pure returns (uint256) {
        return 0;
    }

    /// @notice Refused.
    function transfer(address, uint256) external pure returns (bool) {
        revert NotTransferable();
    }

    /// @notice Refused.
    function transferFrom(address, address, uint256) external pure returns (bool) {
        revert NotTransferable();
    }

    /// @notice Refused.
    function approve(address, uint256) external pure returns (bool) {
        revert NotTransferable();
    }

    /// @dev Returns by how much the balance changed, which is less than the amount where points are owed.
    function _change(address account, int256 amount) private returns (int256 change) {
        if (account == address(0)) revert ERC20InvalidReceiver(account);
        unchecked {
            int256 before = _positions[account];
            int256 position = before + amount;
            _positions[account] = position;
            change = _aboveZero(position) - _aboveZero(before);
            if (change > 0) emit Transfer(address(0), account, uint256(change));
            else if (change < 0) emit Transfer(account, address(0), uint256(-change));
        }
    }

    function _aboveZero(int256 value) private pure returns (int256) {
        return value > 0 ? value : int256(0);
    }
}
