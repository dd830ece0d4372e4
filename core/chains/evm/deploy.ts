import { readFile } from 'node:fs/promises'
import { encodeDeployData, getAddress, isHex, type Hex } from 'viem'
import { anchorsAbi } from './contracts/anchors.abi.ts'
import { keysAbi } from './contracts/keys.abi.ts'
import { passportsAbi } from './contracts/passports.abi.ts'
import type { NewContract } from '../family.ts'

const files = { passports: 'ProductPassports', anchors: 'CertificateAnchors', keys: 'CertificationKeys' } as const
const codes = new Map<string, Promise<Hex>>()

/** What makes a contract that the sender owns and relays to. */
export async function deployData(contract: NewContract, sender: string): Promise<Hex> {
  const bytecode = await codeOf(contract.kind)
  const own = [getAddress(sender), getAddress(sender)] as const
  if (contract.kind !== 'passports') {
    return encodeDeployData({ abi: contract.kind === 'anchors' ? anchorsAbi : keysAbi, bytecode, args: own })
  }
  const { name, symbol, baseUri, issuer } = contract
  return encodeDeployData({ abi: passportsAbi, bytecode, args: [name, symbol, baseUri, getAddress(issuer), ...own] })
}

function codeOf(kind: NewContract['kind']): Promise<Hex> {
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
