import type { Logger } from 'pino'
import type { OutcomeHandlers } from '../port.ts'
import type { Notices } from '../../kernel/ports/notices.ts'
import { chainChannel } from '../wake-signal.ts'
import { servedFamilies, type Families, type Family } from '../families.ts'
import { networkNames, networks, type Network } from '../networks.ts'
import { runSender, type Sender } from './sender.ts'
import { defaultPacing, type SenderPacing } from '../pacing.ts'
import { createSignerClient, type Signer, type SignerAddress } from '../signer/client.ts'

export interface SendersOptions {
  settings: SignerAddress & {
    rpcUrls: Partial<Record<Network, string>>
    databaseUrl?: string | undefined
    databaseDirectUrl?: string | undefined
    publicUrl: string
    passportBatchesPerContract: number
  }
  notices: Pick<Notices, 'subscribe'>
  log: Logger
  /** The families to serve; those of the product if left out. */
  families?: Families
  signer?: Signer
}

/**
 * Starts the senders of every network that has an RPC address. Any number of processes may do so: the process that
 * holds the lease of an address serves it. Outcome handlers run in the transaction that records the outcome.
 */
export function startSenders(
  { settings, notices, log, families = servedFamilies, signer = createSignerClient(settings) }: SendersOptions,
  outcomeHandlers: OutcomeHandlers,
  pacing: Partial<SenderPacing> = {},
): { stop(): Promise<void> } {
  const url = settings.databaseDirectUrl ?? settings.databaseUrl
  if (url === undefined) throw new Error('senders need the address of a database')
  const stopping = new AbortController()
  const running = new Map<Network, Sender[]>()

  const start = async (network: Network, rpcUrl: string, { capabilities, openAdapter }: Family): Promise<void> => {
    const { senders, owner } = await signer.readSenders(network)
    const senderOptions = await Promise.all(
      senders.map(async ({ account, address }, senderIndex) => {
        const adapter = await openAdapter({ network, rpcUrl, account, address, owner, signer })
        return {
          network,
          account,
          address,
          senderIndex,
          senderCount: senders.length,
          outcomeHandlers,
          log,
          adapter,
          capabilities,
          addresses: senders.map((each) => each.address),
          confirmations: networks[network].confirmations,
          maxBatches: Math.min(capabilities.maxBatchesPerContract, settings.passportBatchesPerContract),
          baseUri: `${settings.publicUrl}/t/`,
          pacing: { ...defaultPacing, ...pacing },
        }
      }),
    )
    if (!stopping.signal.aborted)
      running.set(
        network,
        senderOptions.map((options) => runSender(options, url)),
      )
  }
  const starting = networkNames.map(async (network) => {
    const family = families[networks[network].family]
    const rpcUrl = settings.rpcUrls[network]
    if (family && rpcUrl !== undefined) await retryUntilDone(() => start(network, rpcUrl, family), stopping.signal, log)
  })
  const unsubscribe = notices.subscribe(chainChannel, (payload) => {
    for (const [network, senders] of running) {
      if (payload === '' || payload === network) senders.forEach((sender) => sender.wake())
    }
  })
  return {
    async stop() {
      unsubscribe()
      stopping.abort()
      await Promise.all(starting)
      await Promise.all([...running.values()].flat().map((sender) => sender.stop()))
      signer.close()
    },
  }
}

/** Retries with delays of at most 2 s, because the signer may start after this process. */
async function retryUntilDone(work: () => Promise<void>, signal: AbortSignal, log: Logger): Promise<void> {
  for (let delayMs = 100; !signal.aborted; delayMs = Math.min(2_000, delayMs * 2)) {
    try {
      return await work()
    } catch (cause) {
      log.warn({ err: cause }, 'a sender could not start and tries again')
    }
    await new Promise<void>((resolve) => {
      const timer = setTimeout(resolve, delayMs)
      signal.addEventListener(
        'abort',
        () => {
          clearTimeout(timer)
          resolve()
        },
        { once: true },
      )
    })
  }
}
