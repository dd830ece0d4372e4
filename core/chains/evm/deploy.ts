import { readFile } from 'node:fs/promises'
import { encodeDeployData, getAddress, isHex, keccak256, size, slice, type Hex } from 'viem'
import { anchorsAbi } from './contracts/anchors.abi.ts'
import { earlierArtifacts } from './contracts/artifacts.ts'
import { keysAbi } from './contracts/keys.abi.ts'
import { passportsAbi } from './contracts/passports.abi.ts'
import type { NewContract } from '../family.ts'
import type { Parties } from './calls.ts'

const files = { passports: 'ProductPassports', anchors: 'CertificateAnchors', keys: 'CertificationKeys' } as const
export type ContractKind = keyof typeof files
const kinds = Object.keys(files) as ContractKind[]
const codes = new Map<string, Promise<Hex>>()

/** What makes a contract that the sender relays to and another address owns. */
export async function deployData(contract: NewContract, { sender, owner }: Parties): Promise<Hex> {
  if (owner === null) throw new Error('a contract needs an owner that is not its sender')
  const bytecode = await codeOf(contract.kind)
  const own = [getAddress(owner), getAddress(sender)] as const
  if (contract.kind !== 'passports') {
    return encodeDeployData({ abi: contract.kind === 'anchors' ? anchorsAbi : keysAbi, bytecode, args: own })
  }
  const { name, symbol, baseUri, issuer } = contract
  return encodeDeployData({ abi: passportsAbi, bytecode, args: [name, symbol, baseUri, getAddress(issuer), ...own] })
}

/** Which of our contracts a deployment makes: one of this version's, or one that an earlier version made. */
export interface DeployedKind { kind: ContractKind; current: boolean; args: Hex }

/** The contract that the data of a deployment makes; undefined: none of ours. */
export async function deployedKind(data: Hex): Promise<DeployedKind | undefined> {
  for (const kind of kinds) {
    const code = await codeOf(kind)
    if (data.startsWith(code)) return { kind, current: true, args: `0x${data.slice(code.length)}` }
  }
  for (const { kind, length, hash } of earlierArtifacts) {
    if (size(data) <= length || keccak256(slice(data, 0, length)) !== hash) continue
    return { kind, current: false, args: slice(data, length) }
  }
  return undefined
}

function codeOf(kind: ContractKind): Promise<Hex> {
  const known = codes.get(kind)
  if (known) return known
  const read = readCode(files[kind])
  codes.set(kind, read)
  return read
}

async function readCode(name: string): Promise<Hex> {
  const file = new URL(`contracts/artifacts/${name}.json`, import.meta.url)
  const { bytecode } = JSON.parse(await readFile(file, 'utf8')) as { bytecode?: unknown }
  if (!isHex(bytecode)) throw new Error(`the artifact of ${name} has no bytecode`)
  return bytecode
}
