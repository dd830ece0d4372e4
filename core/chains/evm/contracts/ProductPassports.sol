// SPDX-License-Identifier: Apache-2.0
pragma solidity ^0.8.30;

import {Ownable} from "@openzeppelin/contracts/access/Ownable.sol";
import {IERC165} from "@openzeppelin/contracts/interfaces/IERC165.sol";
import {IERC4906} from "@openzeppelin/contracts/interfaces/IERC4906.sol";
import {ERC721} from "@openzeppelin/contracts/token/ERC721/ERC721.sol";
import {ERC721Pausable} from "@openzeppelin/contracts/token/ERC721/extensions/ERC721Pausable.sol";
import {Multicall} from "@openzeppelin/contracts/utils/Multicall.sol";
import {Strings} from "@openzeppelin/contracts/utils/Strings.sol";
import {PassportBatches} from "./PassportBatches.sol";
import {Relayed} from "./Relayed.sol";

/// @title Product passports of one application
/// @notice ERC-721. A token's id is the SHA-256 of its passport's identifier. Tokens come to be in two ways: one by
/// one, straight to a claimer (`mint`), or in batches whose ids are kept as contract code and whose owner is, until a
/// token first moves, the batch's (`mintBatch`).
/// @dev Who owns an id: the owner in storage, if there is one (minted singly, or moved at least once); else the first
/// owner of the oldest batch that has the id; else nobody. So ownership is never ambiguous. That an id is minted only
/// once is checked on chain among single mints and within a batch. Across batches, and between batches and single
/// mints, it is the relayer's duty: the check would cost a cold read a token. Where the relayer fails in it, the rule
/// above still names one owner, and only the batch owner's `balanceOf` counts the id once too often.
/// The relayer may move a token that has never moved from its batch's owner to its claimer, without an approval of that
/// owner; it has no power over a token in storage. There is no burn. A pause stops every mint and every transfer.
/// Looking for an id reads every batch, so the contract takes `MAX_BATCHES` of them: more go to a further contract.
/// Single mints and transfers have no such limit.
contract ProductPassports is ERC721, Relayed, ERC721Pausable, Multicall, IERC4906 {
    /// @notice Batches that the contract takes. With so many the search for an id stays below 16,777,216 gas (EIP-7825),
    /// a third of what nodes give a call.
    uint256 public constant MAX_BATCHES = 2_000;

    /// @notice Number of batches. Shares the slot of `relayer` and the pause, so that a mint reads one slot.
    uint64 public batchCount;

    /// @dev One more than the number of the first batch that is not the issuer's; zero: all are. In the same slot.
    uint24 private _foreignFrom;

    /// @notice Owner of the tokens of `mintBatch(ids)` until they move.
    address public immutable issuer;

    /// @notice What `tokenURI` puts before the id, as "https://host/t/".
    string public baseURI;

    /// @dev Marks an assumption: bit 160, above the address.
    uint256 private constant ASSUMED = 1 << 160;

    /// @dev Owner that `_ownerOf` takes for an id outside storage instead of searching, while one mint or transfer runs
    /// whose caller knows it. Zero: search. Nothing external is called while it is set.
    uint256 private transient _assumption;

    /// @notice A batch was minted; index i of it is the i-th id of the call. ERC-721 `Transfer` is emitted for each id.
    event BatchMinted(uint256 indexed batch, address indexed owner, uint256 size);

    event BaseURIChanged(string baseURI);

    /// @dev The token has moved before (or was minted singly): only its owner or an approved one moves it.
    error AlreadyMoved(uint256 id);

    /// @dev An older batch of another owner has the id: the oldest one decides.
    error NotOldestBatch(uint256 id, uint256 batch);

    /// @dev The contract has all the batches that it takes.
    error BatchLimitReached();

    constructor(
        string memory name_,
        string memory symbol_,
        string memory baseURI_,
        address issuer_,
        address owner_,
        address relayer_
    ) ERC721(name_, symbol_) Ownable(owner_) Relayed(relayer_) {
        if (issuer_ == address(0)) revert ERC721InvalidReceiver(address(0));
        issuer = issuer_;
        baseURI = baseURI_;
    }

    /// @notice Mints one token straight to its claimer. Gas: below 72,000 for an address that holds nothing yet.
    /// @dev Reverts with `ERC721InvalidSender(0)` when the id is in storage; batches are not searched.
    function mint(address to, uint256 id) external onlyRelayer {
        _assumption = ASSUMED;
        _mint(to, id);
        _assumption = 0;
    }

    /// @notice Mints 1 to 767 tokens to the issuer. `ids` are strictly increasing. Gas: below 9,200 a token at 500.
    /// Reverts with `BatchLimitReached` when there are `MAX_BATCHES`.
    function mintBatch(uint256[] calldata ids) external {
        mintBatch(issuer, ids);
    }

    /// @notice As `mintBatch(ids)`, to a first owner of the relayer's choice.
    function mintBatch(address to, uint256[] calldata ids) public onlyRelayer whenNotPaused {
        if (to == address(0)) revert ERC721InvalidReceiver(address(0));
        uint64 batch = batchCount;
        if (batch >= MAX_BATCHES) revert BatchLimitReached();
        batchCount = batch + 1;
        if (to != issuer && _foreignFrom == 0) _foreignFrom = uint24(batch + 1);
        emit BatchMinted(batch, to, ids.length);
        PassportBatches.append(to, ids);
        _increaseBalance(to, uint128(ids.length));
    }

    /// @notice Moves a token that has never moved from its batch's owner to `to`. Where batches of several owners have
    /// the id, only the oldest counts. Gas: below 90,000, however many batches the issuer has; behind a batch of another
    /// owner older batches are searched. `batch` and `index` are those of `BatchMinted`, or what `locate` answers.
    function transferFromBatch(address to, uint256 id, uint256 batch, uint256 index) external onlyRelayer {
        if (super._ownerOf(id) != address(0)) revert AlreadyMoved(id);
        address owner = PassportBatches.ownerAt(batchCount, batch, index, id);
        uint256 foreignFrom = _foreignFrom;
        if (foreignFrom != 0 && batch >= foreignFrom - 1) {
            (bool found, uint256 oldest,, address first) = PassportBatches.find(batch, id);
            if (found && first != owner) revert NotOldestBatch(id, oldest);
        }
        _assumption = ASSUMED | uint160(owner);
        _transfer(owner, to, id);
        _assumption = 0;
    }

    function pause() external onlyOwner {
        _pause();
    }

    function unpause() external onlyOwner {
        _unpause();
    }

    function setBaseURI(string calldata baseURI_) external onlyOwner {
        baseURI = baseURI_;
        emit BaseURIChanged(baseURI_);
        emit BatchMetadataUpdate(0, type(uint256).max);
    }

    /// @notice Batch and index of an id, also after it has moved. Reverts with `NotInBatch` when it was never in one.
    function locate(uint256 id) external view returns (uint256 batch, uint256 index) {
        bool found;
        (found, batch, index,) = PassportBatches.find(batchCount, id);
        if (!found) revert PassportBatches.NotInBatch(id);
    }

    /// @notice The contract that holds a batch's ids, their number, and their first owner.
    function batchAt(uint256 batch) external view returns (address pointer, uint256 size, address owner) {
        return PassportBatches.batchAt(batchCount, batch);
    }

    /// @inheritdoc ERC721
    function tokenURI(uint256 id) public view override returns (string memory) {
        _requireOwned(id);
        return string.concat(baseURI, Strings.toHexString(id, 32));
    }

    /// @inheritdoc IERC165
    function supportsInterface(bytes4 interfaceId) public view override(ERC721, IERC165) returns (bool) {
        // ERC-4906 names this identifier, since an interface of events alone has none of its own.
        return interfaceId == 0x49064906 || super.supportsInterface(interfaceId);
    }

    function _ownerOf(uint256 id) internal view override returns (address owner) {
        owner = super._ownerOf(id);
        if (owner != address(0)) return owner;
        uint256 assumption = _assumption;
        if (assumption != 0) return address(uint160(assumption));
        (,,, owner) = PassportBatches.find(batchCount, id);
    }

    function _update(address to, uint256 id, address auth)
        internal
        override(ERC721, ERC721Pausable)
        returns (address)
    {
        return super._update(to, id, auth);
    }
}
