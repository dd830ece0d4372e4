import type { NewContract } from './family.ts'
import type { ChainRecordKind, PointsOperationKind, TokenOperationKind } from './port.ts'

/** A kind of chains that one adapter serves. */
export type NetworkFamily = 'evm' | 'stellar' | 'starknet'

/** What the networks of a family can do. Code asks for an ability and never for a family by its name. */
export interface Capabilities {
  /** Kinds of operations that the family performs. No other operation is queued on its networks. */
  readonly operations: readonly (TokenOperationKind | ChainRecordKind | PointsOperationKind)[]
  /**
   * Contracts that a transaction puts on the chain before they take operations. Where a family has no contracts, an
   * account takes their place. A contract that is not listed here exists without a transaction.
   */
  readonly deploys: readonly NewContract['kind'][]
  readonly maxTokensPerBatch: number
  /** Maximum number of batches in one contract. */
  readonly maxBatchesPerContract: number
  readonly maxRootsPerTransaction: number
  /** Maximum number of entries of points in one transaction, at most 500. */
  readonly maxPointsPerTransaction: number
  /** Maximum length of a transaction's memo, in bytes; null: transactions have no memo. */
  readonly maxMemoBytes: number | null
  /** Whether the newest blocks can be replaced, so that a transaction is final only after further blocks. */
  readonly reorganizes: boolean
  /** Whether a transaction has a time after which no block takes it. */
  readonly expires: boolean
}

/** The families that this installation serves. */
export const servedCapabilities = {
  evm: {
    operations: [
      'mintToIssuer',
      'mintTo',
      'transferTo',
      'passOn',
      'anchor',
      'registerKey',
      'rotateKey',
      'revokeKey',
      'postPoints',
    ],
    deploys: ['passports', 'points', 'anchors', 'keys', 'handovers'],
    maxTokensPerBatch: 500,
    maxBatchesPerContract: 2_000,
    maxRootsPerTransaction: 100,
    maxPointsPerTransaction: 300,
    maxMemoBytes: null,
    reorganizes: true,
    expires: false,
  },
} as const satisfies Partial<Record<NetworkFamily, Capabilities>>

/**
 * A network as data. `caip2`: its CAIP-2 identifier. `confirmations`: blocks, the own one included, before a state is
 * final. `delegates`: whether a wallet can run code, so that somebody else pays for what it signs (EIP-7702).
 */
export interface NetworkFacts {
  family: NetworkFamily
  caip2: string
  currency: string
  decimals: number
  confirmations: number
  explorer: string | null
  test: boolean
  delegates: boolean
}

const createEvmNetwork = (
  id: number,
  currency: string,
  confirmations: number,
  explorer: string | null,
  { test, delegates }: Pick<NetworkFacts, 'test' | 'delegates'>,
): NetworkFacts => ({
  family: 'evm',
  caip2: `eip155:${id}`,
  currency,
  decimals: 18,
  confirmations,
  explorer,
  test,
  delegates,
})
const createStellarNetwork = (id: string, explorer: string | null, test: boolean): NetworkFacts => ({
  family: 'stellar',
  caip2: `stellar:${id}`,
  currency: 'XLM',
  decimals: 7,
  confirmations: 1,
  explorer,
  test,
  delegates: false,
})

/** All networks that exist; no other name is accepted. */
export const networks = {
  EthereumAnvil: createEvmNetwork(31337, 'ETH', 1, null, { test: true, delegates: true }),
  BaseSepolia: createEvmNetwork(84532, 'ETH', 5, 'https://sepolia.basescan.org', { test: true, delegates: true }),
  BaseMainnet: createEvmNetwork(8453, 'ETH', 12, 'https://basescan.org', { test: false, delegates: true }),
  // The nodes of XDC have the code of EIP-7702 (github.com/XinFinOrg/XDPoSChain/pull/1759), but no block switches it on yet.
  XdcApothem: createEvmNetwork(51, 'TXDC', 5, 'https://testnet.xdcscan.com', { test: true, delegates: false }),
  XdcMainnet: createEvmNetwork(50, 'XDC', 12, 'https://xdcscan.com', { test: false, delegates: false }),
  StellarQuickstart: createStellarNetwork('quickstart', null, true),
  StellarTestnet: createStellarNetwork('testnet', 'https://stellar.expert/explorer/testnet', true),
  StellarMainnet: createStellarNetwork('pubnet', 'https://stellar.expert/explorer/public', false),
  StarknetSepolia: {
    family: 'starknet',
    caip2: 'starknet:SN_SEPOLIA',
    currency: 'STRK',
    decimals: 18,
    confirmations: 1,
    explorer: 'https://sepolia.voyager.online',
    test: true,
    delegates: false,
  },
} as const satisfies Record<string, NetworkFacts>

export type Network = keyof typeof networks
export const networkNames = Object.keys(networks) as Network[]

/** The page of an account in the explorers of each family. */
const explorerPaths: Readonly<Record<NetworkFamily, string>> = {
  evm: 'address',
  stellar: 'account',
  starknet: 'contract',
}

/** Formats the link to an account in the explorer of its network; undefined if the network has no explorer. */
export function formatAccountUrl(network: Network, address: string): string | undefined {
  const { explorer, family } = networks[network]
  return explorer === null ? undefined : `${explorer}/${explorerPaths[family]}/${address}`
}
