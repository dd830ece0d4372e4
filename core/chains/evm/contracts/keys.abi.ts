import { parseAbi } from 'viem'

/** Interface of `CertificationKeys.sol`. Written by `npm run contracts`. */
export const keysAbi = parseAbi([
  'constructor(address owner_, address relayer_)',
  'error NotRelayer(address caller)',
  'error OwnableInvalidOwner(address owner)',
  'error OwnableUnauthorizedAccount(address account)',
  'error SameKey(bytes32 key)',
  'event KeyRegistered(bytes32 indexed organization, bytes32 indexed key)',
  'event KeyRevoked(bytes32 indexed organization, bytes32 indexed key, uint64 compromisedAt)',
  'event KeyRotated(bytes32 indexed organization, bytes32 indexed key, bytes32 indexed next)',
  'event OwnershipTransferStarted(address indexed previousOwner, address indexed newOwner)',
  'event OwnershipTransferred(address indexed previousOwner, address indexed newOwner)',
  'event RelayerChanged(address indexed previous, address indexed current)',
  'function acceptOwnership()',
  'function owner() view returns (address)',
  'function pendingOwner() view returns (address)',
  'function register(bytes32 organization, bytes32 key)',
  'function relayer() view returns (address)',
  'function renounceOwnership()',
  'function revoke(bytes32 organization, bytes32 key, uint64 compromisedAt)',
  'function rotate(bytes32 organization, bytes32 key, bytes32 previous)',
  'function setRelayer(address relayer_)',
  'function transferOwnership(address newOwner)',
  'function validAt(bytes32 organization, bytes32 key, uint64 time) view returns (bool)',
  'function windowOf(bytes32 organization, bytes32 key) view returns (uint64 registeredAt, uint64 rotatedAt, uint64 revokedAt, uint64 compromisedAt)',
])
