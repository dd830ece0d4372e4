import { parseAbi } from 'viem'

/** Interface of `PassportHandovers.sol`. Written by `npm run contracts`. */
export const handoversAbi = parseAbi([
  'constructor()',
  'error DoneBefore(bytes32 operation)',
  'error ECDSAInvalidSignature()',
  'error ECDSAInvalidSignatureLength(uint256 length)',
  'error ECDSAInvalidSignatureS(bytes32 s)',
  'error InvalidShortString()',
  'error NotSigned()',
  'error RunOut(uint256 until)',
  'error StringTooLong(string str)',
  'event EIP712DomainChanged()',
  'function eip712Domain() view returns (bytes1 fields, string name, string version, uint256 chainId, address verifyingContract, bytes32 salt, uint256[] extensions)',
  'function isDone(bytes32 operation) view returns (bool)',
  'function onERC1155BatchReceived(address, address, uint256[], uint256[], bytes) returns (bytes4)',
  'function onERC1155Received(address, address, uint256, uint256, bytes) returns (bytes4)',
  'function onERC721Received(address, address, uint256, bytes) returns (bytes4)',
  'function passOn(address collection, address to, uint256 id, bytes32 operation, uint256 until, bytes signature)',
  'function supportsInterface(bytes4 interfaceId) view returns (bool)',
  'receive() external payable',
])
