import { spawn, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { createRequire } from 'node:module'
import { createInterface } from 'node:readline'
import {
  createTestClient,
  http,
  publicActions,
  TransactionReceiptNotFoundError,
  walletActions,
  type Address,
  type Hash,
  type TransactionReceipt,
} from 'viem'
import { anvil } from 'viem/chains'

/** A fresh EVM node for one test file. */
export interface TestAnvil {
  url: string
  client: ReturnType<typeof connectAnvilClient>
  fund(...addresses: Address[]): Promise<void>
  waitUntilMined(sent: Promise<Hash>): Promise<TransactionReceipt>
  stop(): Promise<void>
}

/**
 * Starts anvil on a free port of 127.0.0.1 with the newest rules, including the transaction gas limit of EIP-7825. Any
 * address may send without a signature; `fund` gives it the ether to pay for gas.
 */
export async function startTestAnvil(...flags: string[]): Promise<TestAnvil> {
  const program = createRequire(import.meta.url).resolve('@foundry-rs/anvil-linux-amd64/bin/anvil')
  const node = spawn(
    program,
    [
      '--host',
      '127.0.0.1',
      '--port',
      '0',
      '--enable-tx-gas-limit',
      '--auto-impersonate',
      '--max-persisted-states',
      '0',
      ...flags,
    ],
    { stdio: ['ignore', 'pipe', 'inherit'] },
  )
  const killAnvil = () => {
    node.kill('SIGKILL')
  }
  process.once('exit', killAnvil)
  const url = `http://${await waitForAddress(node)}`
  const client = connectAnvilClient(url)
  return {
    url,
    client,
    async fund(...addresses) {
      for (const address of addresses) await client.setBalance({ address, value: 10n ** 20n })
    },
    /**
     * Polls until the receipt is there. viem's own wait polls only at a new block, and no block comes here if viem
     * polled after the block's number but before its receipts.
     */
    async waitUntilMined(sent) {
      const hash = await sent
      for (;;) {
        const receipt = await client.getTransactionReceipt({ hash }).catch(ignoreMissingReceipt)
        if (receipt) return receipt
      }
    },
    async stop() {
      process.off('exit', killAnvil)
      const ended = once(node, 'exit')
      killAnvil()
      await ended
    },
  }
}

function ignoreMissingReceipt(error: unknown): undefined {
  if (!(error instanceof TransactionReceiptNotFoundError)) throw error
}

function connectAnvilClient(url: string) {
  return createTestClient({ mode: 'anvil', chain: anvil, transport: http(url), pollingInterval: 10 })
    .extend(publicActions)
    .extend(walletActions)
}

/** Returns the host and port that anvil prints when it is ready. All its output is read, so that anvil never blocks. */
function waitForAddress(node: ChildProcess): Promise<string> {
  return new Promise((resolve, reject) => {
    if (node.stdout === null) throw new Error('anvil was started without a pipe')
    createInterface(node.stdout).on('line', (line) => {
      const address = /^Listening on (\S+)$/.exec(line)?.[1]
      if (address !== undefined) resolve(address)
    })
    node.once('error', reject)
    node.once('exit', (code) => {
      reject(new Error(`anvil ended with code ${code}`))
    })
  })
}
