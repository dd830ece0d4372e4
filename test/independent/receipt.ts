import { createHash } from 'node:crypto'
import canonicalize from 'canonicalize'
import { concat, encodeAbiParameters, keccak256, type Hex } from 'viem'

/** What `GET …/anchor` answers. */
export interface Receipt {
  contract: Hex
  root: Hex
  leaf: Hex
  proof: Hex[]
}

const sha256 = (text: string): Hex => `0x${createHash('sha256').update(text).digest('hex')}`

/** The hash of what a credential certifies, rebuilt from its subject alone. */
export function computeContentHash(credential: Record<string, unknown>): Hex {
  const {
    id: _id,
    type: _type,
    characteristics = {},
    ...product
  } = credential['credentialSubject'] as Record<string, unknown>
  return sha256(canonicalize({ product, data: characteristics }) ?? '')
}

/** Whether a receipt holds for this credential of this passport: its leaf is theirs, and its proof leads to its root. */
export function isReceiptValid(
  { leaf, proof, root }: Receipt,
  passport: string,
  credential: Record<string, unknown>,
): boolean {
  const pair = encodeAbiParameters(
    [{ type: 'uint256' }, { type: 'bytes32' }],
    [BigInt(sha256(passport)), computeContentHash(credential)],
  )
  const top = proof.reduce((one, other) => keccak256(concat(one < other ? [one, other] : [other, one])), leaf)
  return leaf === keccak256(keccak256(pair)) && top === root
}

/** Whether the contract has anchored the root and finds the leaf under it, as it says itself. Source: Ethereum JSON-RPC, eth_call. */
export async function isReceiptOnChain(rpc: string, { contract, root, leaf, proof }: Receipt): Promise<boolean> {
  const types = [{ type: 'bytes32' }, { type: 'bytes32' }, { type: 'bytes32[]' }]
  const selector = keccak256(Buffer.from('verify(bytes32,bytes32,bytes32[])')).slice(0, 10) as Hex
  const call = { to: contract, data: concat([selector, encodeAbiParameters(types, [root, leaf, proof])]) }
  const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'eth_call', params: [call, 'latest'] })
  const answer = await fetch(rpc, { method: 'POST', headers: { 'content-type': 'application/json' }, body })
  const { result } = (await answer.json()) as { result?: string }
  return result !== undefined && BigInt(result) === 1n
}
