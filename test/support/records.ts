import { createPublicClient, encodeEventTopics, getAddress, getContract, http, type Abi, type Hex } from 'viem'
import anchorsArtifact from '../../core/chains/evm/contracts/artifacts/CertificateAnchors.json' with { type: 'json' }
import keysArtifact from '../../core/chains/evm/contracts/artifacts/CertificationKeys.json' with { type: 'json' }
import { anchorsAbi } from '../../core/chains/evm/contracts/anchors.abi.ts'
import { keysAbi } from '../../core/chains/evm/contracts/keys.abi.ts'
import type { TestAnvil } from './anvil.ts'
import type { Node } from './node.ts'
import { owner, relayer } from './passports.ts'

const clientOf = (url: string) => createPublicClient({ transport: http(url) })

/** The contract of roots, as anybody reads it. */
export const anchorsAt = (url: string, address: string | null) =>
  getContract({ abi: anchorsAbi, address: getAddress(address ?? ''), client: clientOf(url) })

/** The registry of keys, as anybody reads it. */
export const keysAt = (url: string, address: string | null) =>
  getContract({ abi: keysAbi, address: getAddress(address ?? ''), client: clientOf(url) })

/** How often each root was anchored, by every contract of the chain. */
export async function anchored(node: Node): Promise<Map<string, number>> {
  const topics = encodeEventTopics({ abi: anchorsAbi, eventName: 'Anchored' })
  const logs = await node.ask<{ topics: string[] }[]>('eth_getLogs', { fromBlock: '0x0', topics })
  const counts = new Map<string, number>()
  for (const { topics: [, root = ''] } of logs) counts.set(root, (counts.get(root) ?? 0) + 1)
  return counts
}

/** An organization's UUID as the registry has it. */
export const organizationWord = (uuid: string): Hex => `0x${uuid.replaceAll('-', '').padStart(64, '0')}`

async function deploy({ client, fund, mined }: TestAnvil, abi: Abi, bytecode: string) {
  await fund(owner, relayer)
  const sent = client.deployContract({ abi, bytecode: bytecode as Hex, args: [owner, relayer], account: owner })
  const deployment = await mined(sent)
  if (!deployment.contractAddress) throw new Error('The contract was not deployed')
  return { deployment, address: deployment.contractAddress }
}

/** A new `CertificateAnchors` of `owner`, and how its relayer calls it. */
export async function deployAnchors(anvil: TestAnvil) {
  const { deployment, address } = await deploy(anvil, anchorsAbi as Abi, anchorsArtifact.bytecode)
  const contract = getContract({ abi: anchorsAbi, address, client: anvil.client })
  const account = relayer
  return {
    contract, deployment,
    anchor: (root: Hex) => anvil.mined(contract.write.anchor([root], { account })),
    anchorMany: (roots: readonly Hex[]) => anvil.mined(contract.write.anchorMany([roots], { account })),
  }
}

/** The same of `CertificationKeys`. */
export async function deployKeys(anvil: TestAnvil) {
  const { deployment, address } = await deploy(anvil, keysAbi as Abi, keysArtifact.bytecode)
  const contract = getContract({ abi: keysAbi, address, client: anvil.client })
  const account = relayer
  return {
    contract, deployment,
    register: (organization: Hex, key: Hex) => anvil.mined(contract.write.register([organization, key], { account })),
    rotate: (organization: Hex, key: Hex, previous: Hex) =>
      anvil.mined(contract.write.rotate([organization, key, previous], { account })),
    revoke: (organization: Hex, key: Hex, compromisedAt: number) =>
      anvil.mined(contract.write.revoke([organization, key, BigInt(compromisedAt)], { account })),
  }
}
