import type { Chains, NewOperation } from './chain.ts'
import type { Notices } from '../kernel/parts.ts'
import { chainChannel } from './bell.ts'
import { deployedContracts, wantContracts } from './contracts.ts'
import { answersAt } from './families.ts'
import { networks } from './networks.ts'
import { insertOperations } from './operations.ts'
import { signerAt, type SignerAddress } from './signer/client.ts'

export interface ChainsParts {
  settings: SignerAddress & { rpcUrls: Partial<Record<string, string>> }
  notices: Pick<Notices, 'notify'>
}

/** The port for features: writes rows and asks the signer; it never talks to a node. */
export function chainsOf({ settings, notices }: ChainsParts): Chains {
  const signer = signerAt(settings)
  const hasSigner = settings.signerSecret !== undefined && (settings.signerSocket ?? settings.signerUrl) !== undefined
  return {
    usable: (network) => networks[network].family === 'evm' && settings.rpcUrls[network] !== undefined && hasSigner,
    hasWallets: (network) => networks[network].family === 'evm',
    async answers(network) {
      const rpcUrl = settings.rpcUrls[network]
      return networks[network].family === 'evm' && rpcUrl !== undefined && answersAt(rpcUrl)
    },
    address: (network, wallet) => signer.ensureKey(wallet, familyOf(network)),
    async queue(trx, collection, operations) {
      if (operations.length === 0) return
      for (const operation of operations) check(operation)
      await wantContracts(trx, collection, operations)
      await insertOperations(trx, operations)
      for (const network of new Set(operations.map((operation) => operation.network))) {
        await notices.notify(trx, chainChannel, network)
      }
    },
    // The notice that `queue` gave has rung in every process when its transaction was committed.
    ring: () => undefined,
    contracts: (db, applications) => deployedContracts(db, applications),
  }
}

function familyOf(network: keyof typeof networks): 'evm' {
  const { family } = networks[network]
  if (family !== 'evm') throw new Error(`wallets on ${network} are not served here`)
  return family
}

/** A wrong operation would fail on chain later; here it is its writer's mistake. */
function check({ id, kind, tokenId, to }: NewOperation): void {
  const refuse = (what: string) => { throw new TypeError(`operation ${id}: ${what}`) }
  if (!/^0x[0-9a-f]{64}$/.test(tokenId)) refuse('a token id is 0x and 64 small hexadecimal digits')
  if (kind !== 'mintToIssuer' && !to) refuse(`${kind} needs a receiver`)
}
