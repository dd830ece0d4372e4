import { parseAbi } from 'viem'

/** Interface of `CertificateAnchors.sol`. Written by `npm run contracts`. */
export const anchorsAbi = parseAbi([
  'constructor(address owner_, address relayer_)',
  'error NotRelayer(address caller)',
  'error OwnableInvalidOwner(address owner)',
  'error OwnableUnauthorizedAccount(address account)',
  'error OwnerIsRelayer(address account)',
  'error OwnershipNotRenounced()',
  'event Anchored(bytes32 indexed root)',
  'event OwnershipTransferStarted(address indexed previousOwner, address indexed newOwner)',
  'event OwnershipTransferred(address indexed previousOwner, address indexed newOwner)',
  'event RelayerChanged(address indexed previous, address indexed current)',
  'function acceptOwnership()',
  'function anchor(bytes32 root)',
  'function anchorMany(bytes32[] roots)',
  'function anchorOf(bytes32 root) view returns (uint64 time, uint64 blockNumber)',
  'function owner() view returns (address)',
  'function pendingOwner() view returns (address)',
  'function relayer() view returns (address)',
  'function renounceOwnership() pure',
  'function setRelayer(address relayer_)',
  'function transferOwnership(address newOwner)',
  'function verify(bytes32 root, bytes32 leaf, bytes32[] proof) view returns (bool)',
])
