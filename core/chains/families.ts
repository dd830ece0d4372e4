import type { ChainAdapter, ChainAdapterOptions } from './family.ts'
import { servedCapabilities, type Capabilities, type NetworkFamily } from './networks.ts'

/** A family of chains as processes use it. */
export interface Family {
  readonly capabilities: Capabilities
  /** Opens a sender's access to its network. The SDK of the family is loaded at first use. */
  openAdapter(options: ChainAdapterOptions): Promise<ChainAdapter>
  /** Checks whether the network's node answers within 2 s. */
  isNodeReachable(rpcUrl: string): Promise<boolean>
  /**
   * Reads the positions of accounts in a contract of points, in their order. Left out by a family without points.
   * @throws NodeUnavailableError
   */
  readPositions?(rpcUrl: string, contract: string, accounts: readonly string[]): Promise<bigint[]>
  /**
   * Reads from a contract of anchors when a root was anchored; null if it was not. Left out by a family without anchors.
   * @throws NodeUnavailableError
   */
  readAnchorTime?(rpcUrl: string, contract: string, root: string): Promise<Date | null>
}

export type Families = Readonly<Partial<Record<NetworkFamily, Family>>>

/** The families that the product serves. */
export const servedFamilies: Families = {
  evm: {
    capabilities: servedCapabilities.evm,
    openAdapter: async (options) => (await import('./evm/family.ts')).createEvmAdapter(options),
    isNodeReachable: async (rpcUrl) => (await import('./evm/rpc/reachability.ts')).isEvmNodeReachable(rpcUrl),
    readPositions: async (rpcUrl, contract, accounts) =>
      (await import('./evm/acts/points.ts')).readPositions(rpcUrl, contract, accounts),
    readAnchorTime: async (rpcUrl, contract, root) =>
      (await import('./evm/acts/records.ts')).readAnchorTime(rpcUrl, contract, root),
  },
}
