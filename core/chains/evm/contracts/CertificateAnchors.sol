// SPDX-License-Identifier: Apache-2.0
pragma solidity ^0.8.30;

import {Ownable} from "@openzeppelin/contracts/access/Ownable.sol";
import {MerkleProof} from "@openzeppelin/contracts/utils/cryptography/MerkleProof.sol";
import {Relayed} from "./Relayed.sol";

/// @title Merkle roots of certified passports
/// @notice One a network. A root stands for a batch of certificates; being here it proves that they existed by the time
/// of its block.
/// @dev A tree is OpenZeppelin's standard one: pairs are sorted before they are hashed, and a leaf is
/// `keccak256(keccak256(abi.encode(uint256 tokenId, bytes32 contentHash)))`. Leaves are hashed twice, so that no inner
/// node can pass for the leaf of a passport. A caller of `verify` makes the leaf out of a token id and a content hash;
/// one that takes a leaf from somebody else proves nothing.
contract CertificateAnchors is Relayed {
    /// @dev One slot. `time` is in seconds since 1970 and never zero for a root that is here.
    struct Anchor {
        uint64 time;
        uint64 blockNumber;
    }

    mapping(bytes32 root => Anchor) private _anchors;

    /// @notice A root is here for the first time.
    event Anchored(bytes32 indexed root);

    constructor(address owner_, address relayer_) Ownable(owner_) Relayed(relayer_) {}

    /// @notice Keeps a root with the time and number of this block. A root that is here is left as it is, without
    /// another event. Gas: below 50,000.
    function anchor(bytes32 root) external onlyRelayer {
        _anchor(root);
    }

    /// @notice As `anchor` for each of several roots.
    function anchorMany(bytes32[] calldata roots) external onlyRelayer {
        for (uint256 i; i < roots.length; ++i) {
            _anchor(roots[i]);
        }
    }

    /// @notice When a root was anchored: seconds since 1970 and number of the block; zeros when it was not.
    function anchorOf(bytes32 root) external view returns (uint64 time, uint64 blockNumber) {
        Anchor storage kept = _anchors[root];
        return (kept.time, kept.blockNumber);
    }

    /// @notice Whether the root is anchored and the proof leads from the leaf to it.
    function verify(bytes32 root, bytes32 leaf, bytes32[] calldata proof) external view returns (bool) {
        return _anchors[root].time != 0 && MerkleProof.verifyCalldata(proof, root, leaf);
    }

    function _anchor(bytes32 root) private {
        Anchor storage kept = _anchors[root];
        if (kept.time != 0) return;
        (kept.time, kept.blockNumber) = (uint64(block.timestamp), uint64(block.number));
        emit Anchored(root);
    }
}
