import {
  getAddress,
  getContractAddress,
  hexToBytes,
  parseTransaction,
  serializeTransaction,
  toHex,
  type TransactionSerializable,
} from 'viem'
import { findDeployedKind, type ContractKind } from './bytecode.ts'
import { parsePassportsArguments } from './intents.ts'

/** A signed deployment, as read from its bytes. */
export interface SignedDeployment {
  kind: ContractKind
  address: string
  /** First owner of the tokens that a passport collection mints in batches; null for other contracts. */
  issuer: string | null
  /** Bytes that were signed. */
  bytes: Uint8Array
}

/** Computes the address of the contract that an address deploys with this nonce. */
export const computeDeploymentAddress = (address: string, nonce: number) =>
  getContractAddress({ from: getAddress(address), nonce: BigInt(nonce) })

/** Parses a signed transaction of `sender`. @returns undefined if it deploys none of our contracts */
export async function parseDeployment(sender: string, raw: Uint8Array): Promise<SignedDeployment | undefined> {
  const { r, s, v, yParity, ...content } = parseTransaction(toHex(raw))
  if (content.to || !content.data) return undefined
  const found = await findDeployedKind(content.data)
  if (!found) return undefined
  return {
    kind: found.kind,
    address: computeDeploymentAddress(sender, content.nonce ?? 0),
    issuer: found.kind === 'passports' ? parsePassportsArguments(found.args).issuer : null,
    bytes: hexToBytes(serializeTransaction(content as TransactionSerializable)),
  }
}
