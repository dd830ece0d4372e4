import { createPublicClient, encodeEventTopics, getAddress, getContract, http, type Abi, type Hex } from 'viem'
import anchorsArtifact from '../../../core/chains/evm/contracts/artifacts/CertificateAnchors.json' with { type: 'json' }
import keysArtifact from '../../../core/chains/evm/contracts/artifacts/CertificationKeys.json' with { type: 'json' }
import { anchorsAbi } from '../../../core/chains/evm/contracts/anchors.abi.ts'
import { keysAbi } from '../../../core/chains/evm/contracts/keys.abi.ts'
import type { TestAnvil } from './anvil.ts'
import type { AnvilNode } from '../node.ts'
import { owner, relayer } from './passport-contract.ts'

const createReader = (url: string) => createPublicClient({ transport: http(url) })

/** Returns the contract of anchors for reading. */
export const getAnchorsContract = (url: string, address: string | null) =>
  getContract({ abi: anchorsAbi, address: getAddress(address ?? ''), client: createReader(url) })

/** Returns the registry of keys for reading. */
export const getKeysContract = (url: string, address: string | null) =>
  getContract({ abi: keysAbi, address: getAddress(address ?? ''), client: createReader(url) })

/** Counts how often each root was anchored, by all contracts of the chain. */
export async function countAnchors(node: AnvilNode): Promise<Map<string, number>> {
  const topics = encodeEventTopics({ abi: anchorsAbi, eventName: 'Anchored' })
  const logs = await node.callRpc<{ topics: string[] }[]>('eth_getLogs', { fromBlock: '0x0', topics })
  const counts = new Map<string, number>()
  for (const {
    topics: [, root = ''],
  } of logs)
    counts.set(root, (counts.get(root) ?? 0) + 1)
  return counts
}

/** Converts an organization's UUID to the word that the registry stores. */
export const toOrganizationWord = (uuid: string): Hex => `0x${uuid.replaceAll('-', '').padStart(64, '0')}`

async function deployContract({ client, fund, waitUntilMined }: TestAnvil, abi: Abi, bytecode: string) {
  await fund(owner, relayer)
  const sent = client.deployContract({ abi, bytecode: bytecode as Hex, args: [owner, relayer], account: owner })
  const deployment = await waitUntilMined(sent)
  if (!deployment.contractAddress) throw new Error('The contract was not deployed')
  return { deployment, address: deployment.contractAddress }
}

/** Deploys a new `CertificateAnchors` that belongs to `owner`, and returns it with calls of its relayer. */
export async function deployAnchors(anvil: TestAnvil) {
  const { deployment, address } = await deployContract(anvil, anchorsAbi as Abi, anchorsArtifact.bytecode)
  const contract = getContract({ abi: anchorsAbi, address, client: anvil.client })
  const account = relayer
  return {
    contract,
    deployment,
    anchor: (root: Hex) => anvil.waitUntilMined(contract.write.anchor([root], { account })),
    anchorMany: (roots: readonly Hex[]) => anvil.waitUntilMined(contract.write.anchorMany([roots], { account })),
  }
}

/** Deploys a new `CertificationKeys` that belongs to `owner`, and returns it with calls of its relayer. */
export async function deployKeys(anvil: TestAnvil) {
  const { deployment, address } = await deployContract(anvil, keysAbi as Abi, keysArtifact.bytecode)
  const contract = getContract({ abi: keysAbi, address, client: anvil.client })
  const account = relayer
  return {
    contract,
    deployment,
    register: (organization: Hex, key: Hex) =>
      anvil.waitUntilMined(contract.write.register([organization, key], { account })),
    rotate: (organization: Hex, key: Hex, previous: Hex) =>
      anvil.waitUntilMined(contract.write.rotate([organization, key, previous], { account })),
    revoke: (organization: Hex, key: Hex, compromisedAt: number) =>
      anvil.waitUntilMined(contract.write.revoke([organization, key, BigInt(compromisedAt)], { account })),
  }
}
