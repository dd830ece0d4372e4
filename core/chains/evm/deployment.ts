import {
  getAddress, getContractAddress, hexToBytes, parseTransaction, serializeTransaction, toHex, type TransactionSerializable,
} from 'viem'
import { deployedKind, type ContractKind } from './deploy.ts'
import { passportsArguments } from './intents.ts'

/** A deployment that was signed: what its bytes say. */
export interface SignedDeployment {
  kind: ContractKind
  address: string
  /** Who is to own what a collection of passports mints; null for other contracts. */
  issuer: string | null
  /** What was signed. */
  bytes: Uint8Array
}

/** Where a contract lies that an address deploys with this nonce. */
export const contractAt = (address: string, nonce: number) =>
  getContractAddress({ from: getAddress(address), nonce: BigInt(nonce) })

/** Reads a signed transaction of `sender`; undefined when it deploys none of our contracts. */
export async function readDeployment(sender: string, raw: Uint8Array): Promise<SignedDeployment | undefined> {
  const { r, s, v, yParity, ...content } = parseTransaction(toHex(raw))
  if (content.to || !content.data) return undefined
  const found = await deployedKind(content.data)
  if (!found) return undefined
  return {
    kind: found.kind,
    address: contractAt(sender, content.nonce ?? 0),
    issuer: found.kind === 'passports' ? passportsArguments(found.args).issuer : null,
    bytes: hexToBytes(serializeTransaction(content as TransactionSerializable)),
  }
}
