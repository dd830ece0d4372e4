// SPDX-License-Identifier: Apache-2.0
pragma solidity ^0.8.30;

import {IERC721} from "@openzeppelin/contracts/interfaces/IERC721.sol";
import {ERC1155Holder} from "@openzeppelin/contracts/token/ERC1155/utils/ERC1155Holder.sol";
import {ERC721Holder} from "@openzeppelin/contracts/token/ERC721/utils/ERC721Holder.sol";
import {ECDSA} from "@openzeppelin/contracts/utils/cryptography/ECDSA.sol";
import {EIP712} from "@openzeppelin/contracts/utils/cryptography/EIP712.sol";

/// @title What a wallet runs when it passes a passport on
/// @notice A wallet of a person has no gas. It points at this code once (EIP-7702); from then on whoever pays may hand in
/// what the wallet's key has signed, and nothing else. So the wallet alone decides about its passports, as before.
/// @dev The code runs as the wallet: `address(this)` is the wallet, and the storage is the wallet's, in a namespace of
/// its own (ERC-7201). Called at its own address it can do nothing, because nobody has a key of that address. A wallet
/// with code goes on taking tokens and money.
contract PassportHandovers is EIP712, ERC721Holder, ERC1155Holder {
    bytes32 private constant PASS_ON =
        keccak256("PassOn(address collection,address to,uint256 id,bytes32 operation,uint256 until)");

    /// @dev keccak256(abi.encode(uint256(keccak256("tessera.passport.handovers")) - 1)) & ~bytes32(uint256(0xff))
    bytes32 private constant STORAGE = 0x9fa6090ea8ff35a6e5cc62836710ff5f3d4a415b71cafad4ca13dec3e9df3e00;

    /// @custom:storage-location erc7201:tessera.passport.handovers
    struct Handovers {
        mapping(bytes32 operation => bool) done;
    }

    /// @dev The key of the wallet did not sign this.
    error NotSigned();

    /// @dev What was signed has run out.
    error RunOut(uint256 until);

    /// @dev What was signed was done before.
    error DoneBefore(bytes32 operation);

    constructor() EIP712("Tessera passport handovers", "1") {}

    receive() external payable {}

    /// @notice Moves a token of the wallet to `to`, once for each operation, and until a time.
    function passOn(
        address collection,
        address to,
        uint256 id,
        bytes32 operation,
        uint256 until,
        bytes calldata signature
    ) external {
        if (block.timestamp > until) revert RunOut(until);
        Handovers storage handovers = _handovers();
        if (handovers.done[operation]) revert DoneBefore(operation);
        bytes32 digest = _hashTypedDataV4(keccak256(abi.encode(PASS_ON, collection, to, id, operation, until)));
        if (ECDSA.recover(digest, signature) != address(this)) revert NotSigned();
        handovers.done[operation] = true;
        IERC721(collection).transferFrom(address(this), to, id);
    }

    /// @notice Whether an operation of this wallet was done.
    function isDone(bytes32 operation) external view returns (bool) {
        return _handovers().done[operation];
    }

    function _handovers() private pure returns (Handovers storage handovers) {
        bytes32 slot = STORAGE;
        assembly ("memory-safe") {
            handovers.slot := slot
        }
    }
}
