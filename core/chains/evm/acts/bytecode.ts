import { readFile } from 'node:fs/promises'
import { encodeDeployData, getAddress, isHex, keccak256, size, slice, type Hex } from 'viem'
import { anchorsAbi } from '../contracts/anchors.abi.ts'
import { earlierArtifacts } from '../contracts/artifacts.ts'
import { keysAbi } from '../contracts/keys.abi.ts'
import { passportsAbi } from '../contracts/passports.abi.ts'
import { pointsAbi } from '../contracts/points.abi.ts'
import type { NewContract } from '../../family.ts'
import type { ContractParties } from './transaction.ts'

const artifactNames = {
  passports: 'ProductPassports',
  points: 'LoyaltyPoints',
  anchors: 'CertificateAnchors',
  keys: 'CertificationKeys',
  handovers: 'PassportHandovers',
} as const
export type ContractKind = keyof typeof artifactNames
const contractKinds = Object.keys(artifactNames) as ContractKind[]
const bytecodes = new Map<string, Promise<Hex>>()

/** Encodes the data that deploys a contract. The contract takes calls from the sender and belongs to the owner. */
export async function encodeDeployment(contract: NewContract, { sender, owner }: ContractParties): Promise<Hex> {
  if (owner === null) throw new Error('a contract needs an owner that is not its sender')
  const bytecode = await loadBytecode(contract.kind)
  const own = [getAddress(owner), getAddress(sender)] as const
  switch (contract.kind) {
    case 'anchors':
      return encodeDeployData({ abi: anchorsAbi, bytecode, args: own })
    case 'keys':
      return encodeDeployData({ abi: keysAbi, bytecode, args: own })
    case 'handovers':
      return bytecode
    case 'points':
      return encodeDeployData({ abi: pointsAbi, bytecode, args: [contract.name, contract.symbol, ...own] })
    case 'passports': {
      const { name, symbol, baseUri, issuer } = contract
      const args = [name, symbol, baseUri, getAddress(issuer), ...own] as const
      return encodeDeployData({ abi: passportsAbi, bytecode, args })
    }
  }
}

/** One of our contracts that a deployment creates. `current` is false if an earlier version compiled it. */
export interface DeployedKind {
  kind: ContractKind
  current: boolean
  args: Hex
}

/** Finds which contract the data of a deployment creates. @returns undefined if it is none of ours */
export async function findDeployedKind(data: Hex): Promise<DeployedKind | undefined> {
  for (const kind of contractKinds) {
    const code = await loadBytecode(kind)
    if (data.startsWith(code)) return { kind, current: true, args: `0x${data.slice(code.length)}` }
  }
  for (const { kind, length, hash } of earlierArtifacts) {
    if (size(data) <= length || keccak256(slice(data, 0, length)) !== hash) continue
    return { kind, current: false, args: slice(data, length) }
  }
  return undefined
}

function loadBytecode(kind: ContractKind): Promise<Hex> {
  const known = bytecodes.get(kind)
  if (known) return known
  const read = readBytecode(artifactNames[kind])
  bytecodes.set(kind, read)
  return read
}

async function readBytecode(name: string): Promise<Hex> {
  const file = new URL(`../contracts/artifacts/${name}.json`, import.meta.url)
  const { bytecode } = JSON.parse(await readFile(file, 'utf8')) as { bytecode?: unknown }
  if (!isHex(bytecode)) throw new Error(`the artifact of ${name} has no bytecode`)
  return bytecode
}
