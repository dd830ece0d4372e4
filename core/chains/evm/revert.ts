import { decodeErrorResult, isHex } from 'viem'
import { handoversAbi } from './contracts/handovers.abi.ts'
import { keysAbi } from './contracts/keys.abi.ts'
import { passportsAbi } from './contracts/passports.abi.ts'
import { pointsAbi } from './contracts/points.abi.ts'
import type { RevertReason } from '../family.ts'
import type { RpcError } from './rpc/rpc.ts'

/** Messages for people, by the name of the contract's error. */
const sentences: Record<string, string> = {
  AlreadyMoved: 'The token has left its issuer before.',
  BatchLimitReached: 'The contract has all the batches that it takes.',
  DoneBefore: 'The token was passed on before.',
  ERC20InvalidReceiver: 'The receiving address is not valid.',
  ERC721IncorrectOwner: 'The token is not in the wallet of who passes it on.',
  ERC721InsufficientApproval: 'The token is not in the wallet of who passes it on.',
  ERC721InvalidReceiver: 'The receiving address is not valid.',
  ERC721InvalidSender: 'The token exists already.',
  ERC721NonexistentToken: 'The token does not exist.',
  IdsNotIncreasing: 'The token stands twice in one batch.',
  LengthMismatch: 'The contract did not get one entry of points for each operation.',
  NotSigned: 'The wallet that has the token did not sign this.',
  NotInBatch: 'The token is not where its batch has it.',
  NotOldestBatch: 'The token is not where its batch has it.',
  NoSuchBatch: 'The token is not where its batch has it.',
  NotRelayer: 'The contract takes its orders from another sender.',
  NotTransferable: 'Points stay with their account.',
  EnforcedPause: 'The contract is paused.',
  RunOut: 'The time for passing the token on is over.',
  SameKey: 'A key cannot take its own place.',
}
export const unknownReason: RevertReason = {
  text: 'The contract refused the operation.',
  temporary: false,
  full: false,
}

/** Returns the reason why a call reverted. */
export function toRevertReason(error: RpcError): RevertReason {
  const data = getRevertData(error.data)
  if (data === undefined) return unknownReason
  try {
    const { errorName } = decodeErrorResult({ abi: [...passportsAbi, ...keysAbi, ...pointsAbi, ...handoversAbi], data })
    const text = sentences[errorName] ?? unknownReason.text
    return { text, temporary: errorName === 'EnforcedPause', full: errorName === 'BatchLimitReached' }
  } catch {
    return unknownReason
  }
}

/** Returns the revert data of an error. Some nodes wrap the data in an object. */
function getRevertData(data: unknown): `0x${string}` | undefined {
  const inner = typeof data === 'object' && data !== null && 'data' in data ? data.data : data
  return isHex(inner) && inner.length >= 10 ? inner : undefined
}
