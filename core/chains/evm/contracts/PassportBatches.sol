// SPDX-License-Identifier: Apache-2.0
pragma solidity ^0.8.30;

import {LibRLP} from "solady/src/utils/LibRLP.sol";
import {SSTORE2} from "solady/src/utils/SSTORE2.sol";

/// @title Batches of token ids kept as contract code
/// @notice The code of a batch is: STOP (1 byte), its first owner (20 bytes), its ids (32 bytes each, strictly
/// increasing).
/// @dev A contract's creation nonce counts from 1 (EIP-161), so batch n lives where the creation n + 1 puts it: neither
/// address nor size nor owner takes a storage slot. A contract that uses this library must create nothing else.
library PassportBatches {
    /// @dev STOP and the first owner.
    uint256 private constant HEADER = 21;

    /// @dev Ids that fit: the code size limit of EIP-170 is 24,576 bytes.
    uint256 internal constant CAPACITY = (24_576 - HEADER) / 32;

    /// @dev `Transfer(address,address,uint256)` of ERC-721.
    bytes32 private constant TRANSFER = keccak256("Transfer(address,address,uint256)");

    /// @dev A batch takes 1 to CAPACITY ids.
    error BatchSizeOutOfRange(uint256 size);

    /// @dev Ids must be strictly increasing.
    error IdsNotIncreasing();

    /// @dev There is no batch of this number.
    error NoSuchBatch(uint256 batch);

    /// @dev The id is not in the batch at that index, or, when searched, in no batch.
    error NotInBatch(uint256 id);

    /// @notice Keeps `ids` as the next batch and emits their mint to `owner`.
    function append(address owner, uint256[] calldata ids) internal {
        if (ids.length == 0 || ids.length > CAPACITY) revert BatchSizeOutOfRange(ids.length);
        SSTORE2.write(abi.encodePacked(owner, ids));
        bytes32 topic = TRANSFER;
        bool increasing = true;
        // By hand, since each unit of gas here is paid once a token: no bounds check, no branch but the loop's.
        assembly ("memory-safe") {
            let to := shr(96, shl(96, owner))
            let end := add(ids.offset, shl(5, ids.length))
            let previous := calldataload(ids.offset)
            log4(0, 0, topic, 0, to, previous)
            for { let cursor := add(ids.offset, 32) } lt(cursor, end) { cursor := add(cursor, 32) } {
                let id := calldataload(cursor)
                increasing := and(increasing, gt(id, previous))
                log4(0, 0, topic, 0, to, id)
                previous := id
            }
        }
        if (!increasing) revert IdsNotIncreasing();
    }

    /// @notice Where a batch lies, how many ids it has, and who owned them first.
    function batchAt(uint256 count, uint256 batch)
        internal
        view
        returns (address pointer, uint256 size, address owner)
    {
        if (batch >= count) revert NoSuchBatch(batch);
        pointer = _pointer(batch);
        size = (pointer.code.length - HEADER) / 32;
        owner = address(uint160(_word(pointer, 1) >> 96));
    }

    /// @notice The first owner of `id`, which must be the entry `index` of `batch`.
    function ownerAt(uint256 count, uint256 batch, uint256 index, uint256 id) internal view returns (address) {
        (address pointer, uint256 size, address owner) = batchAt(count, batch);
        // Past the end code reads as zero, and a very large index would wrap round: hence the check of the size.
        if (index >= size || _word(pointer, HEADER + index * 32) != id) revert NotInBatch(id);
        return owner;
    }

    /// @notice Searches the batches, oldest first. `found` is false when none has the id.
    /// @dev Some 5,300 gas a batch of 500: whoever appends sets a limit to the number of batches.
    function find(uint256 count, uint256 id)
        internal
        view
        returns (bool found, uint256 batch, uint256 index, address owner)
    {
        for (; batch < count; ++batch) {
            address pointer = _pointer(batch);
            (found, index) = _search(pointer, id);
            if (found) return (true, batch, index, address(uint160(_word(pointer, 1) >> 96)));
        }
    }

    function _pointer(uint256 batch) private view returns (address) {
        return LibRLP.computeAddress(address(this), batch + 1);
    }

    function _word(address pointer, uint256 offset) private view returns (uint256 word) {
        assembly ("memory-safe") {
            extcodecopy(pointer, 0, offset, 32)
            word := mload(0)
        }
    }

    /// @dev Binary search; each probe reads one word of code that is warm after the first.
    function _search(address pointer, uint256 id) private view returns (bool found, uint256 index) {
        assembly ("memory-safe") {
            let high := shr(5, sub(extcodesize(pointer), HEADER))
            for {} lt(index, high) {} {
                let middle := shr(1, add(index, high))
                extcodecopy(pointer, 0, add(HEADER, shl(5, middle)), 32)
                let word := mload(0)
                switch lt(word, id)
                case 0 { high := middle }
                default { index := add(middle, 1) }
                if eq(word, id) {
                    index := middle
                    found := 1
                    break
                }
            }
        }
    }
}
