/** A network as data. Identifiers: CAIP-2. `confirmations`: blocks on top, itself included, before a state is final. */
export interface NetworkFacts {
  family: 'evm' | 'stellar' | 'starknet'
  caip2: string
  currency: string
  decimals: number
  confirmations: number
  explorer: string | null
  test: boolean
}

const evm = (
  id: number, currency: string, confirmations: number, explorer: string | null, test: boolean,
): NetworkFacts => ({ family: 'evm', caip2: `eip155:${id}`, currency, decimals: 18, confirmations, explorer, test })
const stellar = (id: string, explorer: string | null, test: boolean): NetworkFacts =>
  ({ family: 'stellar', caip2: `stellar:${id}`, currency: 'XLM', decimals: 7, confirmations: 1, explorer, test })

/** Every network there is; nothing else is accepted. */
export const networks = {
  EthereumAnvil: evm(31337, 'ETH', 1, null, true),
  BaseSepolia: evm(84532, 'ETH', 5, 'https://sepolia.basescan.org', true),
  BaseMainnet: evm(8453, 'ETH', 12, 'https://basescan.org', false),
  XdcApothem: evm(51, 'TXDC', 5, 'https://testnet.xdcscan.com', true),
  XdcMainnet: evm(50, 'XDC', 12, 'https://xdcscan.com', false),
  StellarQuickstart: stellar('quickstart', null, true),
  StellarTestnet: stellar('testnet', 'https://stellar.expert/explorer/testnet', true),
  StellarMainnet: stellar('pubnet', 'https://stellar.expert/explorer/public', false),
  StarknetSepolia: {
    family: 'starknet', caip2: 'starknet:SN_SEPOLIA', currency: 'STRK', decimals: 18, confirmations: 1,
    explorer: 'https://sepolia.voyager.online', test: true,
  },
} as const satisfies Record<string, NetworkFacts>

export type Network = keyof typeof networks
export const networkNames = Object.keys(networks) as Network[]
