import { servedCapabilities } from '../../../core/chains/networks.ts'
import { startChainRig } from '../../support/chains/chain-rig.ts'
import { countAnchors } from '../../support/chains/record-contracts.ts'
import { countPosted } from '../../support/chains/points-contract.ts'
import { startRpcProxy, type RpcProxy } from '../../support/chains/rpc-proxy.ts'
import type { DatabaseServer } from '../../support/database/database-server.ts'
import type { FamilyStage } from './stage.ts'
import { defineFamilySuite } from './suite.ts'

const network = 'EthereumAnvil'

async function startEvmStage(server: DatabaseServer): Promise<FamilyStage> {
  let rpcProxy: RpcProxy | undefined
  const rig = await startChainRig(server, {
    async proxy(getTargetUrl) {
      rpcProxy = await startRpcProxy(getTargetUrl)
      return rpcProxy
    },
  })
  return {
    rig,
    network,
    capabilities: servedCapabilities.evm,
    invalidAddress: `0x${'0'.repeat(40)}`,
    openWallet: (name) => rig.chains.ensureWalletAddress(network, name),
    countMints: async () => (await rig.node.countTransfers()).mints,
    countAnchors: () => countAnchors(rig.node),
    countPosted: () => countPosted(rig.node),
    loseAnswers: (times) => rpcProxy?.loseAnswers('eth_sendRawTransaction', times),
    async startDetour() {
      const snapshot = await rig.node.callRpc<string>('evm_snapshot')
      return async () => {
        await rig.node.callRpc('evm_revert', snapshot)
      }
    },
    stop: rig.stop,
  }
}

defineFamilySuite('EVM, on a development node', servedCapabilities.evm, startEvmStage)
