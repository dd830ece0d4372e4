import type { Logger } from 'pino'
import type { OutcomeTakers } from './chain.ts'
import type { Notices } from '../kernel/parts.ts'
import { chainChannel } from './bell.ts'
import { openFamily } from './families.ts'
import { networkNames, networks, type Network } from './networks.ts'
import { runSender, type Sender } from './sender.ts'
import { standardPace, type Pace } from './session.ts'
import { signerAt, type SignerAddress } from './signer/client.ts'

export interface SendersParts {
  settings: SignerAddress & {
    rpcUrls: Partial<Record<Network, string>>
    databaseUrl?: string | undefined
    databaseDirectUrl?: string | undefined
    publicUrl: string
    passportBatchesPerContract: number
  }
  notices: Pick<Notices, 'on'>
  log: Logger
}

/**
 * Starts the senders of every network that has an RPC. Any number of processes may do so: an address is served by the
 * one that has its lease. What takes an outcome runs in the transaction that records it.
 */
export function startSenders(
  { settings, notices, log }: SendersParts, takers: OutcomeTakers, pace: Partial<Pace> = {},
): { stop(): Promise<void> } {
  const url = settings.databaseDirectUrl ?? settings.databaseUrl
  if (url === undefined) throw new Error('senders need the address of a database')
  const signer = signerAt(settings)
  const stopping = new AbortController()
  const running = new Map<Network, Sender[]>()

  const start = async (network: Network, rpcUrl: string): Promise<void> => {
    const { senders, owner } = await signer.senders(network)
    const duties = await Promise.all(senders.map(async ({ account, address }, place) => {
      const family = await openFamily({ network, rpcUrl, account, address, owner, signer })
      return {
        network, account, address, place, of: senders.length, signer, takers, log, family,
        addresses: senders.map((each) => each.address),
        confirmations: networks[network].confirmations,
        maxBatches: Math.min(family.maxBatches, settings.passportBatchesPerContract),
        baseUri: `${settings.publicUrl}/t/`,
        pace: { ...standardPace, ...pace },
      }
    }))
    if (!stopping.signal.aborted) running.set(network, duties.map((duty) => runSender(duty, url)))
  }
  const starting = networkNames.filter((network) => networks[network].family === 'evm').map(async (network) => {
    const rpcUrl = settings.rpcUrls[network]
    if (rpcUrl !== undefined) await untilDone(() => start(network, rpcUrl), stopping.signal, log)
  })
  const off = notices.on(chainChannel, (payload) => {
    for (const [network, senders] of running) {
      if (payload === '' || payload === network) senders.forEach((sender) => sender.ring())
    }
  })
  return {
    async stop() {
      off()
      stopping.abort()
      await Promise.all(starting)
      await Promise.all([...running.values()].flat().map((sender) => sender.stop()))
      signer.close()
    },
  }
}

/** Tries again, at most every 2 s: the signer may start after this process. */
async function untilDone(work: () => Promise<void>, signal: AbortSignal, log: Logger): Promise<void> {
  for (let pause = 100; !signal.aborted; pause = Math.min(2_000, pause * 2)) {
    try {
      return await work()
    } catch (cause) {
      log.warn({ err: cause }, 'a sender could not start and tries again')
    }
    await new Promise<void>((resolve) => {
      const timer = setTimeout(resolve, pause)
      signal.addEventListener('abort', () => { clearTimeout(timer); resolve() }, { once: true })
    })
  }
}
