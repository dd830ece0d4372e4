import { spawn, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { createRequire } from 'node:module'
import { createInterface } from 'node:readline'
import {
  createTestClient, http, publicActions, TransactionReceiptNotFoundError, walletActions,
  type Address, type Hash, type TransactionReceipt,
} from 'viem'
import { anvil } from 'viem/chains'

/** A fresh EVM node of one test file. */
export interface TestAnvil {
  url: string
  client: ReturnType<typeof connect>
  fund(...addresses: Address[]): Promise<void>
  mined(sent: Promise<Hash>): Promise<TransactionReceipt>
  stop(): Promise<void>
}

/**
 * Starts anvil on a free port of 127.0.0.1 with the newest rules, the transaction gas limit of EIP-7825 among them.
 * Any address may send without a signature; `fund` gives it what gas costs.
 */
export async function startTestAnvil(...flags: string[]): Promise<TestAnvil> {
  const program = createRequire(import.meta.url).resolve('@foundry-rs/anvil-linux-amd64/bin/anvil')
  const node = spawn(program, [
    '--host', '127.0.0.1', '--port', '0', '--enable-tx-gas-limit', '--auto-impersonate',
    '--max-persisted-states', '0', ...flags,
  ], { stdio: ['ignore', 'pipe', 'inherit'] })
  const end = () => { node.kill('SIGKILL') }
  process.once('exit', end)
  const url = `http://${await listening(node)}`
  const client = connect(url)
  return {
    url,
    client,
    async fund(...addresses) {
      for (const address of addresses) await client.setBalance({ address, value: 10n ** 20n })
    },
    /**
     * Asks until the receipt is there. viem's own wait asks again only at a new block, and none comes here when it
     * asked between a block's number and its receipts.
     */
    async mined(sent) {
      const hash = await sent
      for (;;) {
        const receipt = await client.getTransactionReceipt({ hash }).catch(absent)
        if (receipt) return receipt
      }
    },
    async stop() {
      process.off('exit', end)
      const ended = once(node, 'exit')
      end()
      await ended
    },
  }
}

function absent(error: unknown): undefined {
  if (!(error instanceof TransactionReceiptNotFoundError)) throw error
}

function connect(url: string) {
  return createTestClient({ mode: 'anvil', chain: anvil, transport: http(url), pollingInterval: 10 })
    .extend(publicActions)
    .extend(walletActions)
}

/** Host and port, from what anvil prints once it answers. Its output is read to the end, so that it never blocks. */
function listening(node: ChildProcess): Promise<string> {
  return new Promise((resolve, reject) => {
    if (node.stdout === null) throw new Error('anvil was started without a pipe')
    createInterface(node.stdout).on('line', (line) => {
      const address = /^Listening on (\S+)$/.exec(line)?.[1]
      if (address !== undefined) resolve(address)
    })
    node.once('error', reject)
    node.once('exit', (code) => { reject(new Error(`anvil ended with code ${code}`)) })
  })
}
