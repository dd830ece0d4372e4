// SPDX-License-Identifier: Apache-2.0
pragma solidity ^0.8.30;

import {Ownable} from "@openzeppelin/contracts/access/Ownable.sol";
import {Relayed} from "./Relayed.sol";

/// @title Keys that organizations sign certificates with, and when each may
/// @notice One a network. An organization is its UUID as a number, that is with zeros in front; a key is the 32 bytes
/// of an Ed25519 public key. Times are seconds since 1970.
/// @dev Every entry is idempotent: what is so already is left as it is, without another event.
contract CertificationKeys is Relayed {
    /// @dev One slot. Zero: not yet. `compromisedAt` counts only beside a `revokedAt`; zero there: from the beginning.
    struct Window {
        uint64 registeredAt;
        uint64 rotatedAt;
        uint64 revokedAt;
        uint64 compromisedAt;
    }

    mapping(bytes32 organization => mapping(bytes32 key => Window)) private _windows;

    event KeyRegistered(bytes32 indexed organization, bytes32 indexed key);

    /// @notice Another key has taken the place of this one. What it signed before stays valid.
    event KeyRotated(bytes32 indexed organization, bytes32 indexed key, bytes32 indexed next);

    /// @notice Nothing that the key signed counts that was not anchored before `compromisedAt`.
    event KeyRevoked(bytes32 indexed organization, bytes32 indexed key, uint64 compromisedAt);

    /// @dev A key cannot take its own place.
    error SameKey(bytes32 key);

    constructor(address owner_, address relayer_) Ownable(owner_) Relayed(relayer_) {}

    /// @notice The key may sign from this block on.
    function register(bytes32 organization, bytes32 key) external onlyRelayer {
        _register(organization, key);
    }

    /// @notice Registers `key` and ends the time of `previous`, which is left alone if it was never registered.
    function rotate(bytes32 organization, bytes32 key, bytes32 previous) external onlyRelayer {
        if (key == previous) revert SameKey(key);
        _register(organization, key);
        Window storage window = _windows[organization][previous];
        if (window.registeredAt == 0 || window.rotatedAt != 0) return;
        window.rotatedAt = uint64(block.timestamp);
        emit KeyRotated(organization, previous, key);
    }

    /// @notice Revokes a key from `compromisedAt` on; zero: from the beginning. A later revocation
    /// counts where it says an earlier time, in whatever order they come. A key that
    /// was never registered can be revoked as well and then never becomes valid from that time on.
    function revoke(bytes32 organization, bytes32 key, uint64 compromisedAt) external onlyRelayer {
        Window storage window = _windows[organization][key];
        if (window.revokedAt != 0 && compromisedAt >= window.compromisedAt) return;
        if (window.revokedAt == 0) window.revokedAt = uint64(block.timestamp);
        window.compromisedAt = compromisedAt;
        emit KeyRevoked(organization, key, compromisedAt);
    }

    /// @notice What is known of a key. Zeros: has not happened; `compromisedAt` counts only beside a `revokedAt`.
    function windowOf(bytes32 organization, bytes32 key)
        external
        view
        returns (uint64 registeredAt, uint64 rotatedAt, uint64 revokedAt, uint64 compromisedAt)
    {
        Window storage window = _windows[organization][key];
        return (window.registeredAt, window.rotatedAt, window.revokedAt, window.compromisedAt);
    }

    /// @notice Whether the key was the organization's at a time, such as that of an anchor: registered by then, not
    /// rotated before then, and not compromised by then. The blocks of registration and rotation belong to its time.
    function validAt(bytes32 organization, bytes32 key, uint64 time) external view returns (bool) {
        Window storage window = _windows[organization][key];
        if (window.registeredAt == 0 || time < window.registeredAt) return false;
        if (window.rotatedAt != 0 && time > window.rotatedAt) return false;
        return window.revokedAt == 0 || time < window.compromisedAt;
    }

    function _register(bytes32 organization, bytes32 key) private {
        Window storage window = _windows[organization][key];
        if (window.registeredAt != 0) return;
        window.registeredAt = uint64(block.timestamp);
        emit KeyRegistered(organization, key);
    }
}
